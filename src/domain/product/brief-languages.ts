/** Words that briefs in other languages use of media, audiences and subjects, without accents, by the English word that products are known by. */
const WORDS: Readonly<Record<string, string>> = {
  // German
  ...words('television', 'fernsehen fernseher tele televisie tv-spots televisione televisao televisiva'),
  ...words('video', 'videos bewegtbild videowerbung'),
  ...words('display', 'displays bannerwerbung'),
  ...words('banner', 'banniere bannieres banderola banderolas'),
  ...words('radio', 'radiospots rundfunk radiowerbung radios radiofonica'),
  ...words('podcast', 'podcasty baladodiffusion'),
  ...words('billboard', 'plakat plakate aussenwerbung valla vallas affichage panneau panneaux'),
  ...words('screen', 'bildschirm bildschirme ecran ecrans pantalla pantallas schermo schermi skarm skarmar scherm schermen'),
  ...words('newsletter', 'infolettre rundbrief'),
  ...words('news', 'nachrichten nachricht actualites actualite noticias notizie nyheter nieuws nyheder'),
  ...words(
    'sport',
    'deporte deportes deportivo deportivos fussball fotboll futbol calcio voetbal sportif sportifs idrott esportes',
  ),
  ...words('football', 'fussball fotboll futbol calcio voetbal'),
  ...words('business', 'wirtschaft unternehmer unternehmen affaires negocios negocio entreprise entreprises naringsliv affari'),
  ...words('finance', 'finanzen boerse borse bourse finanzas finanza ekonomi economie economia finances'),
  ...words('decision', 'entscheider decideurs decisores'),
  ...words('outdoor', 'draussen natur naturaleza friluftsliv'),
  ...words(
    'hiking',
    'wandern wanderer wanderung randonnee randonneurs senderismo senderistas vandring excursionismo escursionismo',
  ),
  ...words('travel', 'reisen reise voyage voyages viaje viajes viajeros viaggio viaggi resor urlaub vacances vacaciones'),
  ...words('food', 'essen lebensmittel nourriture alimentation comida alimentos cibo'),
  ...words('recipe', 'rezept rezepte recette recettes receta recetas ricetta ricette recept'),
  ...words('cook', 'kochen cuisine cuisiner cocina cocinar cucina kuche kueche'),
  ...words('family', 'familie familien famille familles familia familias famiglia famiglie familj familjer gezin'),
  ...words('parent', 'eltern padres genitori foraldrar'),
  ...words('commuter', 'pendler pendlare viajeros-diarios pendolari navetteurs forenzen'),
  ...words('music', 'musik musique musica muziek'),
  ...words('audio', 'horfunk'),
  ...words('app', 'apps applikation'),
  ...words('mobile', 'mobil mobiltelefon movil moviles'),
  ...words('homepage', 'startseite accueil portada'),
  ...words('premium', 'hochwertig hochwertige hochwertigen'),
  ...words('reader', 'leser leserinnen lecteurs lectores lettori lasare'),
  ...words('adult', 'erwachsene erwachsenen adultes adultos adulti vuxna volwassenen'),
  ...words('women', 'frauen femmes mujeres donne kvinnor vrouwen'),
  ...words('men', 'manner maenner hommes hombres uomini'),
  ...words('viewable', 'sichtbar sichtbare sichtbaren visibles'),
  ...words('guaranteed', 'garantiert garantierte garanti garantie garantido garantizado garantizada garanterad'),
  ...words('auction', 'auktion encheres subasta'),
  ...words('click', 'klick klicks clics clic klikken'),
  ...words('morning', 'morgen morgens matin manana mattina morgon'),
  ...words('evening', 'abend abends soir soiree noche kvall'),
  ...words('student', 'studenten studierende etudiants estudiantes studenti'),
  ...words('community', 'gemeinschaft communaute comunidad'),
  ...words('sponsorship', 'sponsoring patrocinio parrainage'),
}

function words(english: string, others: string): Readonly<Record<string, string>> {
  return Object.fromEntries(others.split(' ').map((word) => [word, english]))
}

const ENGLISH: ReadonlyMap<string, string> = new Map(Object.entries(WORDS))

/** Grammar of other languages, and what briefs in them say of every campaign. */
export const FOREIGN_STOP_WORDS =
  'der die das den dem und oder fur fuer mit auf ein eine einen einer im wir von zu zum zur bei uber ueber ist sind soll sollen mochten wollen unsere unser ' +
  'le la les des une un pour avec dans nous et sur aux du de en par nos notre est ce qui que au ans semaines semaine jours mois avant apres ' +
  'el los las para con por una del y nuestra nuestro se al semanas dias meses il per di che nella lo gli och for med pa ett till av som vi vara veckor ' +
  'het een voor op te werbung kampagne campagne campana campagna kampanj publicite publicidad pubblicita reklam budget wochen woche tage monate ' +
  'marke marque marca varumarke merk euro euros noel weihnachten navidad'

/** The English word for one of another language; any other word is given back. */
export function inEnglish(word: string): string {
  return ENGLISH.get(word) ?? word
}

/** "not outside", "nothing outside of", "nowhere but", "nicht außerhalb von": what is before a list outside of which nothing is to run. */
export const NOT_OUTSIDE =
  /(?:\b(?:not|nothing|never|nowhere|nobody|no|none|don['’]t|nicht|nichts|inte|ikke|ej|pas|rien|niet)\b(?:\s+(?:run|running|deliver|delivered|delivery|show|shown|serve|served|ads?|impressions?|anything|spend|be|to|any|people|users|one|en)\b){0,3}\s+(?:outside|beyond|außerhalb|ausserhalb|utanför|utenfor|uden for|dehors|hors|buiten)(?:\s+(?:of|de|von|du|des|för|for|van))?(?:\s+l[ae]s?)?|\bno(?:where|thing) (?:but|else (?:but|than)|except|other than))\s+(?:in\s+)?(?:the\s+)?$/iu
/** "and nowhere else", "and nowhere outside it", ", no other countries": what follows such a list. */
export const NOWHERE_ELSE =
  /^\s*(?:[,;–-]\s*)?(?:(?:and|but|und|och|og|et|y|en)\s+)?(?:nowhere else|nothing else|(?:nowhere|nothing|not|never) (?:outside|beyond)(?: of)?(?: (?:it|them|this|that|these|those))?|no(?:t in)? other (?:countr(?:y|ies)|markets?|places?)|not elsewhere|sonst nirgends|nirgendwo sonst|ingen annanstans|ingen andre steder|nulle part ailleurs|en ningún otro (?:lugar|país)|nergens anders)(?![\p{L}\p{N}])/iu

/** "anything but", "skip", "no", "minus", "ohne", "sauf la", "ikke i": what is before a list where nothing is to run. */
export const NOT_THERE =
  /(?:(?<!\p{L})(?:any(?:thing|where)|every(?:thing|where)|all|all countries|überall|overalt|överallt|partout) (?:but|except(?: for)?|other than|outside(?: of)?|außer|utom|unntatt|sauf)|(?<!\p{L})(?:except(?: for)?|excluding|exclude|excludes|excl\.?|minus|bar|barring|skip|avoid(?:ing)?|outside(?: of)?|without|w\/o|leave out|leaving out|rule out|ruling out|drop|remove|omit(?:ting)?|apart from|aside from|other than|rather than|instead of|keep out of|stay out of|steer clear of|not|nothing|never|none|don['’]t run|do not run|no (?:ads?|advertising|delivery|impressions|spend|budget)|ohne|außer|ausser|ausgenommen|nicht|kein(?:e|en)?|mit ausnahme von|abgesehen von|utan|inte|ikke|ej|ingen|inga|uten|uden|undtagen|unntatt|utom|förutom|hoppa över|hopp over|undvik|unngå|undgå|med undantag (?:för|av)|med unntak av|med undtagelse af|sin|salvo|excepto|senza|tranne|eccetto|non|sauf|sans|hors|hormis|pas|à l['’]exception d[ue]|con excepción de|zonder|behalve|geen|niet|sem|exceto|não))(?:\s+(?:in|i|im|en|em|dans|au|aux|within|inside|for|to|of|de|für|för|for))?\s+(?:(?:the|la|le|les|die|der|den|el|il)\s+)?$/iu
/** "no Sweden" in English: in Portuguese "no Brasil" is in Brazil. */
export const NO_ENGLISH = /(?<!\p{L})no\s+(?:the\s+)?$/iu
/** "is out", "must not be included", "weglassen": what follows such a list. */
export const IS_OUT =
  /^\s*(?:(?:is|are|ist|är|er|est|sont)\s+)?(?:out\b(?! of (?!it\b|this\b|the (?:plan|mix|buy|campaign)\b))|off[ -]limits\b|excluded|excepted|exempt(?:ed)?\b|left out|not (?:wanted|included|needed)|(?:must|should|shall|may) (?:not be (?:included|in|part|targeted|used)|be (?:excluded|left out|out))|(?:bitte )?(?:weglassen|auslassen|ausschließen|ausschliessen|ausgenommen|ausgeschlossen|vermeiden)|undantag(?:et|na)|unntatt|undtaget|ausklammern|exclue?s?\b|exceptée?s?\b|excluid[oa]s?\b|uitgezonderd|uitgesloten|(?:bitte |tack )?(?:nicht|inte|ikke|niet|never|nein)(?=\s*(?:$|[,.;:!?)\n])))/iu
/** "…, Norway only", "…, Norwegen ja": what follows a list of which the last is wanted. */
export const ONLY_LAST = /^\s*\(?(?:only|alone|instead|yes|is fine|nur|ja|oui|sí|bara|kun|endast)(?![\p{L}\p{N}])/iu

/** Words by which a text leaves something out, in the languages of briefs. */
export const NEGATES =
  /(?<![\p{L}\p{N}])(?:no|not|never|nothing|none|nowhere|neither|nor|zero|without|w\/o|minus|except|excepting|exception|excepted|exclude[ds]?|excluding|exclusion|exempt|avoid|avoiding|avoided|skip|skipping|omit|omitting|ban|banned|block|blocked|ignore|forget|ditch|nix|barring|don['’]t|doesn['’]t|isn['’]t|won['’]t|can['’]t|less|ohne|nicht|nichts|nie|kein(?:e[nrms]?)?|außer|ausser|außerhalb|ausgenommen|ausnahme|ausschluss|ausschließen|ausklammern|exklusive|weglassen|meiden|vermeiden|streichen|utan|inte|ej|aldrig|ingen|inga|inget|utom|förutom|undantag|undvik|skippa|slopa|uteslut|exkludera|ikke|aldri|uten|uden|unntatt|unntak|undtagen|utenom|unngå|undgå|utelat|eksklusive|sans|sauf|hors|pas|jamais|hormis|excepté|exclure|exclus?|éviter|sin|nunca|salvo|excepto|excepción|excluir|excluyendo|evitar|menos|senza|non|tranne|eccetto|eccezione|escludere|escluso|evitare|meno|zonder|niet|nooit|geen|behalve|uitgezonderd|uitsluiten|vermijd|sem|não|exceto|excluindo|ilman|paitsi|lukuun)(?![\p{L}\p{N}])/iu
/** The same of words that leave a place out where they follow it: "Sweden can stay away". */
export const LEAVES_OUT =
  /(?<![\p{L}\p{N}])(?:out|outside|aside|away|apart|weg|bort|pois|fuera|fuori|fora|buiten|off)(?![\p{L}\p{N}])/iu
/** The word directly before a place: "the Nordics but Sweden". */
export const BUT = /(?<!\p{L})but\s+(?:the\s+)?$/iu
/** Words by which a text says that it is about some places alone. */
export const LIMITS =
  /(?<![\p{L}\p{N}])(?:nowhere|elsewhere|outside|beyond|exclusive|abroad|other (?:countr(?:y|ies)|markets?)|exklusive?|eksklusivt?|ausland|anderswo|nirgendwo|nirgends|annanstans|utomlands|ailleurs|étranger|extranjero|altrove|elders|buitenland)(?![\p{L}\p{N}])/iu
/** What negates, or leaves out, no place: "not only", "no more than three", "no minimum". */
export const NEGATES_NO_PLACE =
  /(?<!\p{L})(?:not (?:only|just|necessarily|yet)|nicht nur|inte bara|ikke bare|pas seulement|no solo|non solo|(?:no|not) (?:more|less|fewer|later|earlier|longer|higher|lower) than|no (?:later|earlier|minimums?|maximum|limits?|commitments?|rush|problem|matter|restrictions?)|rather than|out[ -]of[ -]home|all but)(?!\p{L})/giu

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '))

/** Words between a figure and the place that it is for, without marks: "60 % of the budget in", "hälften av budgeten i". Currencies stand beside amounts. */
export const BETWEEN_WORDS = setOf(
  'of it them this that as much so the our my total whole overall entire budget budgets money spend spending weight share shares volume impressions each of about around roughly approx circa ca some at to in into on for towards toward from within inside across with by goes go going should must be is are gets get have has having up down ' +
    'usd eur gbp sek nok dkk chf euro euros dollars kr kronor kroner k ' +
    'davon vom von des der die das den dem im auf fur nach aus gesamtbudgets gesamtbudget etats geldes mit bei soll sollen gehen geht an ' +
    'darav derav heraf dem i till til pa av af for budgeten budsjettet budgettet pengarna pengene med ska skal gar fra ' +
    'en dans du de la le les l d au aux sur pour a et y del al el los il nel della dal presupuesto para con impresiones ' +
    'naar voor van het met em no na do da orcamento verba',
)
/** Parts of a whole in words. */
export const PARTS = setOf(
  'half halve halves half- majority bulk rest remainder remaining halfte halften halva halvparten halvdelen resten moitie reste mitad resto metade helft ubrige rimanente',
)
/** Parts after a count: "a third", "zwei Drittel". */
export const COUNTED_PARTS = setOf(
  'third thirds quarter quarters fifth fifths drittel viertel tredjedel tredjedelar tredjedeler fjardedel fjerdedel tiers tercio tercios terzo terco derde kwart',
)
export const COUNTS = setOf('a an one two three four ein zwei drei en ett to tva tre un une deux uno dos due um een twee')
/** Per cent, without marks. "points" are those of shares. */
export const PERCENTS = setOf(
  '% percent percentage prozent procent prosent pourcent cent ciento cento pct points point pts pp punkte prozentpunkte procentenheter prosentpoeng procentpoint',
)
/** Words that want more of a place. */
export const MORE_OF = setOf(
  'more double twice triple increase raise boost shift move extra additional most mehr mer flere fler dobbelt dubbelt doppelt mas mais piu meer',
)
/** Words that want less of it. */
export const LESS_OF = setOf(
  'less fewer reduce cut lower decrease weniger mindre farre faerre færre moins menos meno minder reduzieren minska reduser reducir ridurre verminder',
)
/** Even parts. */
export const EVEN =
  /\b(?:equal|equally|evenly|even|fifty[ -]fifty|gleich|gleichm[aä](?:ß|ss)ig|zu gleichen teilen|j[aä]mnt|lika|likt|jevnt|ligeligt|[ée]galement|à parts [ée]gales|por igual|gelijk|gelijkmatig)(?![\p{L}])/iu
/** What a figure is of, where it is no share of the budget: a rate, a price, people. */
export const NO_SHARE =
  /viewab|sichtbar|completion|\bvcr\b|\bctr\b|brand[\s-]safe|\brates?\b|discount|rebate|rabatt|remise|descuento|sconto|korting|\boff\b|\bv?cpms?\b|\bcpcv?s?\b|\bcpvs?\b|\btkp\b|\bprices?\b|\bpreis|cheaper|\bwom[ae]n\b|\bm[ae]n\b|\bfemale|\bmale\b|\bsov\b|share of voice/i
/** What says that amounts are parts of another. */
export const OF_WHICH =
  /(?<![\p{L}\p{N}])(?:of which|of that|thereof|davon|wovon|darunter|varav|hvorav|heraf|hvoraf|dont|de los cuales|de las cuales|di cui|waarvan|dos quais)(?![\p{L}\p{N}])/iu

import { withoutMarks } from '../normal-text.ts'

/**
 * Cities and states that briefs name, by ISO 3166-2 region. Names that are usually something else (people, "Washington" for a government, "Georgia") are left
 * out: a place that is not recognised costs less than one that nobody named.
 */
const REGIONS: Readonly<Record<string, string>> = {
  'US-NY': 'new york|nyc|manhattan|brooklyn|long island',
  'US-CA': 'california|los angeles|san francisco|san diego|silicon valley|bay area|sacramento',
  'US-IL': 'illinois|chicago',
  'US-TX': 'texas|houston|dallas|austin|san antonio',
  'US-FL': 'florida|miami|orlando|tampa',
  'US-PA': 'pennsylvania|philadelphia|pittsburgh',
  'US-OH': 'ohio|cleveland|cincinnati',
  'US-MA': 'massachusetts|boston',
  'US-CO': 'colorado|denver',
  'US-AZ': 'arizona|phoenix',
  'US-WA': 'seattle',
  'US-DC': 'washington dc|washington d c',
  'US-OR': 'oregon',
  'US-NV': 'nevada|las vegas',
  'US-UT': 'utah|salt lake city',
  'US-MI': 'michigan|detroit',
  'US-MN': 'minnesota|minneapolis',
  'US-NJ': 'new jersey',
  'US-NC': 'north carolina',
  'US-TN': 'tennessee|nashville',
  'US-VA': 'virginia',
  'US-MD': 'maryland|baltimore',
  'US-WI': 'wisconsin|milwaukee',
  'US-MO': 'missouri|kansas city',
  'US-LA': 'louisiana|new orleans',
  'US-ME': 'new england',
  'US-HI': 'hawaii|honolulu',
  'US-AK': 'alaska',
  'CA-ON': 'ontario|toronto|ottawa',
  'CA-QC': 'quebec|montreal',
  'CA-BC': 'british columbia|vancouver',
  'CA-AB': 'alberta|calgary|edmonton',
  'GB-LND': 'london',
  'GB-ENG': 'manchester|birmingham|liverpool|leeds|bristol',
  'GB-SCT': 'scotland|edinburgh|glasgow',
  'GB-WLS': 'wales|cardiff',
  'GB-NIR': 'belfast',
  'DE-BE': 'berlin',
  'DE-BY': 'bavaria|bayern|munich|munchen',
  'DE-HH': 'hamburg',
  'DE-HE': 'frankfurt',
  'DE-NW': 'cologne|koln|dusseldorf',
  'AT-9': 'vienna|wien',
  'CH-ZH': 'zurich',
  'CH-GE': 'geneva|geneve|genf',
  'FR-75': 'paris',
  'FR-69': 'lyon',
  'FR-13': 'marseille',
  'ES-M': 'madrid',
  'ES-B': 'barcelona',
  'IT-MI': 'milan|milano',
  'IT-RM': 'rome|roma',
  'NL-NH': 'amsterdam',
  'BE-BRU': 'brussels|bruxelles',
  'SE-AB': 'stockholm',
  'SE-O': 'gothenburg|goteborg',
  'SE-M': 'malmo',
  'NO-03': 'oslo',
  'NO-46': 'bergen',
  'DK-84': 'copenhagen|kobenhavn',
  'FI-18': 'helsinki',
  'IE-D': 'dublin',
  'PT-11': 'lisbon|lisboa',
  'PL-14': 'warsaw|warszawa',
  'AU-NSW': 'sydney',
  'AU-VIC': 'melbourne',
  'JP-13': 'tokyo',
}

/** The most words of a name: "salt lake city". */
const MOST_WORDS = 3

const REGION_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(REGIONS).flatMap(([region, names]) => names.split('|').map((name): [string, string] => [name, region])),
)

/** The first words of all names: most words of a text are none of them, and no name is looked up there. */
const FIRST_WORDS: ReadonlySet<string> = new Set(Array.from(REGION_OF.keys(), (name) => name.split(' ', 1)[0] ?? ''))

/** A city or state that a text names, and where: offsets of the text. */
export interface RegionMention {
  /** ISO 3166-2. */
  readonly region: string
  readonly start: number
  readonly end: number
}

/** Where a text names cities and states, in order of appearance. Time grows with the length of the text. */
export function regionMentions(text: string): RegionMention[] {
  const words = [...text.matchAll(/[\p{L}\p{M}]+/gu)].map(({ 0: word, index }) => ({
    word: withoutMarks(word),
    start: index,
    end: index + word.length,
  }))
  const found: RegionMention[] = []
  for (let at = 0; at < words.length; at++) {
    if (!FIRST_WORDS.has(words[at]?.word ?? '')) continue
    for (let count = MOST_WORDS; count > 0; count--) {
      const name = words.slice(at, at + count)
      const region = REGION_OF.get(name.map(({ word }) => word).join(' '))
      if (region === undefined) continue
      found.push({ region, start: name[0]?.start ?? 0, end: name.at(-1)?.end ?? 0 })
      at += count - 1
      break
    }
  }
  return found
}

/** Regions (ISO 3166-2) of the cities and states that a text names, each once, in order of appearance. Time grows with the length of the text. */
export function regionsNamedIn(text: string): string[] {
  return [...new Set(regionMentions(text).map(({ region }) => region))]
}

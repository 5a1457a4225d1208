import { groupBy } from './group-by.ts'
import { withoutMarks } from './normal-text.ts'

/**
 * Countries whose English names are also other things that briefs are about: a bird, people's first names, a garment, a state of the US. They are read
 * from filters alone.
 */
const AMBIGUOUS = new Set(['CL', 'GE', 'JE', 'JO', 'TD', 'TR', 'MC', 'GN', 'ML', 'NE', 'TO', 'CU', 'PE'])

/** The most words of a country's name that are looked up: "bosnia and herzegovina". */
const MOST_WORDS = 3

/** Languages that briefs come in. English is last: its names win where two languages differ. */
const LANGUAGES = ['de', 'fr', 'es', 'it', 'nl', 'pt', 'sv', 'da', 'nb', 'fi', 'en']

/** Names in other languages that are words of English. */
const NO_COUNTRY = new Set(['island', 'man', 'samoa american', 'guinea', 'palau', 'niger', 'mali'])

/** Codes (ISO 3166-1 alpha-2) by name, lower case. */
const CODES = codesByName()

/** English names by code, of the countries that are read. */
const ENGLISH_NAMES: ReadonlyMap<string, string> = englishNames()

function englishNames(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
  const read = [...new Set(CODES.values())]
  return new Map(
    read.flatMap((code): [string, string][] =>
      [names.of(code)].flatMap((name) =>
        name === undefined || CODES.get(wordsOf(name).join(' ')) !== code ? [] : [[code, name]],
      ),
    ),
  )
}

function codesByName(): ReadonlyMap<string, string> {
  const languages = LANGUAGES.map((language) => new Intl.DisplayNames([language], { type: 'region', fallback: 'none' }))
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const codes = letters.flatMap((first) => letters.map((second) => first + second))
  const named = codes.flatMap((code): [string, string][] => {
    // Codes that stand for no country: the European Union, the United Nations, private use.
    if (AMBIGUOUS.has(code) || /^(?:EU|EZ|UN|QO|X.|ZZ|UK)$/.test(code) || isWithdrawn(code)) return []
    return languages.flatMap((names) => {
      const shown = names.of(code) ?? ''
      const spelled = [shown, shown.replaceAll('&', ' and ')].map((name) => wordsOf(name).join(' '))
      return [...new Set(spelled)].flatMap((name): [string, string][] =>
        name === '' || NO_COUNTRY.has(name) ? [] : [[name, code]],
      )
    })
  })
  return new Map([
    ...named,
    ['uk', 'GB'],
    ['great britain', 'GB'],
    ['england', 'GB'],
    ['usa', 'US'],
    ['holland', 'NL'],
    ['czech republic', 'CZ'],
  ])
}

/** Codes that ISO 3166 reserves for something that is no country of its own, such as the European Union and the Canary Islands, and those of no territory. */
const RESERVED_CODES = new Set(['AC', 'CP', 'CQ', 'DG', 'EA', 'EU', 'EZ', 'IC', 'QO', 'TA', 'UK', 'UN', 'ZZ'])

/** Codes that ISO 3166-1 assigns to a country; those that begin with X are for private use. */
const ASSIGNED = assignedCodes()

function assignedCodes(): ReadonlySet<string> {
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const codes = letters.flatMap((first) => letters.map((second) => first + second))
  return new Set(
    codes.filter(
      (code) => names.of(code) !== undefined && !code.startsWith('X') && !RESERVED_CODES.has(code) && !isWithdrawn(code),
    ),
  )
}

/** Whether a text is the code of a country, as ISO 3166-1 alpha-2 writes it. */
export function isCountry(text: string): boolean {
  return ASSIGNED.has(text)
}

/** Whether a code is one of a country that has another one today: `FX`, `SU`. */
function isWithdrawn(code: string): boolean {
  return Intl.getCanonicalLocales(`und-${code}`)[0] !== `und-${code}`
}

/** A country that a text names, and where: offsets of the text. */
export interface CountryMention {
  /** ISO 3166-1 alpha-2. */
  readonly code: string
  readonly start: number
  readonly end: number
}

/** A name in words, and its country. */
interface CountryName {
  readonly words: readonly string[]
  readonly code: string
}

/** The names that begin with a word, the longest first: most words of a text begin none. */
const BY_FIRST_WORD: ReadonlyMap<string, readonly CountryName[]> = groupBy(
  Array.from(CODES, ([name, code]): CountryName => ({ words: name.split(' '), code }))
    .filter(({ words }) => words.length <= MOST_WORDS)
    .sort((a, b) => b.words.length - a.words.length),
  ({ words }) => words[0] ?? '',
)

/** A text is read up to so many mentions, more than there are countries: what each rule of a brief does with one takes time. */
export const MOST_MENTIONS = 300

/** Where a text names countries, in order of appearance; the first {@link MOST_MENTIONS}. Time grows with the length of the text. */
export function countryMentions(text: string): CountryMention[] {
  const words = [...text.matchAll(/[\p{L}\p{M}]+/gu)].map(({ 0: word, index }) => ({
    word: withoutMarks(word),
    index,
    end: index + word.length,
  }))
  const found: CountryMention[] = []
  for (let at = 0; at < words.length && found.length < MOST_MENTIONS; at++) {
    const names = BY_FIRST_WORD.get(words[at]?.word ?? '')
    const name = names?.find((each) => each.words.every((word, index) => words[at + index]?.word === word))
    if (!name) continue
    const last = at + name.words.length - 1
    found.push({ code: name.code, start: words[at]?.index ?? 0, end: words[last]?.end ?? 0 })
    at = last
  }
  return found
}

/** Countries that a text names by their names in the languages of briefs, as ISO 3166-1 alpha-2, each once, in order of appearance. */
export function countriesNamedIn(text: string): string[] {
  return [...new Set(countryMentions(text).map(({ code }) => code))]
}

/** The English name by which a text names a country; undefined for a code of none, and for one whose name is read from no text. */
export function countryNameOf(code: string): string | undefined {
  return ENGLISH_NAMES.get(code)
}

/** The name of a country in the language of a locale; what is no code of a country stays as it is. */
export function countryNameIn(code: string, locale: string): string {
  if (!/^[A-Z]{2}$/.test(code)) return code
  return new Intl.DisplayNames([locale], { type: 'region' }).of(code) ?? code
}

function wordsOf(text: string): string[] {
  return withoutMarks(text).match(/\p{L}+/gu) ?? []
}

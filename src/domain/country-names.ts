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

function codesByName(): ReadonlyMap<string, string> {
  const languages = LANGUAGES.map((language) => new Intl.DisplayNames([language], { type: 'region', fallback: 'none' }))
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const codes = letters.flatMap((first) => letters.map((second) => first + second))
  const named = codes.flatMap((code): [string, string][] => {
    // Codes that stand for no country: the European Union, the United Nations, private use.
    if (AMBIGUOUS.has(code) || /^(?:EU|EZ|UN|QO|X.|ZZ|UK)$/.test(code)) return []
    return languages.flatMap((names) => {
      const name = wordsOf(names.of(code) ?? '').join(' ')
      return name === '' || NO_COUNTRY.has(name) ? [] : [[name, code] as [string, string]]
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

/** Countries that a text names by their English names, as ISO 3166-1 alpha-2, each once, in order of appearance. */
export function countriesNamedIn(text: string): string[] {
  const words = wordsOf(text)
  const found = new Set<string>()
  for (let at = 0; at < words.length; at++) {
    for (let count = MOST_WORDS; count > 0; count--) {
      const code = CODES.get(words.slice(at, at + count).join(' '))
      if (code === undefined) continue
      found.add(code)
      at += count - 1
      break
    }
  }
  return [...found]
}

function wordsOf(text: string): string[] {
  return withoutMarks(text).match(/\p{L}+/gu) ?? []
}

import { withoutMarks } from './normal-text.ts'

/**
 * Countries whose English names are also other things that briefs are about: a bird, people's first names, a garment, a state of the US. They are read
 * from filters alone.
 */
const AMBIGUOUS = new Set(['CL', 'GE', 'JE', 'JO', 'TD', 'TR', 'MC', 'GN', 'ML', 'NE', 'TO', 'CU', 'PE'])

/** The most words of a country's name that are looked up: "bosnia and herzegovina". */
const MOST_WORDS = 3

/** Codes (ISO 3166-1 alpha-2) by name in English, lower case. */
const CODES = codesByName()

function codesByName(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const codes = letters.flatMap((first) => letters.map((second) => first + second))
  const named = codes.flatMap((code): [string, string][] => {
    const name = names.of(code)
    // Codes that stand for no country: the European Union, the United Nations, private use.
    return name === undefined || AMBIGUOUS.has(code) || /^(?:EU|EZ|UN|QO|X.|ZZ|UK)$/.test(code)
      ? []
      : [[wordsOf(name).join(' '), code]]
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

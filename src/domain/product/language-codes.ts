import { nearestName } from '../../protocol/nearest-name.ts'

const NAMES = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz']

/** English names of the languages of ISO 639-1, lower case, by code. */
const CODES: ReadonlyMap<string, string> = new Map(
  LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).flatMap((code) => {
    const name = NAMES.of(code)
    return name === undefined ? [] : [[name.toLowerCase(), code] as const]
  }),
)

/** The code (ISO 639-1) of a language by its English name, in any case; undefined for one that is not known. */
export function languageCodeOf(name: string): string | undefined {
  return CODES.get(name.toLowerCase())
}

/** Whether a tag is of a language of ISO 639, whatever known script or region follows it (`sv`, `pt-BR`). */
export function isLanguage(tag: string): boolean {
  try {
    return NAMES.of(tag) !== undefined
  } catch {
    // No tag of BCP 47.
    return false
  }
}

/** The code of the language that a tag which is none was most likely meant for: by its English name, or the country whose code it is. Undefined where nothing is near. */
export function languageMeant(tag: string): string | undefined {
  const word = tag.toLowerCase()
  const named = nearestName(word, CODES.keys())
  if (named !== undefined && word.length > 2) return CODES.get(named)
  if (!/^[a-z]{2}$/.test(word)) return undefined
  const { language } = new Intl.Locale('und', { region: word.toUpperCase() }).maximize()
  return language !== 'und' && language !== 'en' && isLanguage(language) ? language : undefined
}

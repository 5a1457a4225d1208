import type { Issue } from '../protocol/errors.ts'
import { isObject } from '../protocol/is-object.ts'
import { countriesNamedIn } from './country-names.ts'
import { budgetOf } from './product/brief-money.ts'
import { synonymsOf } from './product/brief-synonyms.ts'
import { stem } from './product/brief-terms.ts'

/** Longer texts are no value that was meant to be a number or a name. */
const MOST_CHARACTERS = 60

/**
 * What to send in place of a value of another form, as the end of a sentence: the number in "5 000 USD", the code of "Sweden" or "English", the channels of
 * "video". Undefined where nothing can be told from the value.
 */
export function meantValue({ pointer, keyword, message }: Issue, value: unknown): string | undefined {
  if (message.includes('did you mean')) return undefined
  if (keyword === 'type' && /^must be a (?:whole )?number\b/.test(message)) return meantNumber(value)
  if (typeof value !== 'string' || value.length > MOST_CHARACTERS) return undefined
  if (keyword === 'pattern' && message.includes('ISO 3166-1')) return sendText(onlyOne(countriesNamedIn(value)))
  if (keyword === 'pattern' && message.includes('ISO 639')) return sendText(languageCode(value))
  if (keyword === 'enum' && /\/channels\/\d+$/.test(pointer)) return meantChannels(value)
  return undefined
}

/** An amount that was sent as a text with its currency, or as an object of both. */
function meantNumber(value: unknown): string | undefined {
  if (isObject(value)) {
    const amount = [value.amount, value.total, value.value].find((each) => typeof each === 'number')
    return amount === undefined ? undefined : `send the amount alone: ${amount}`
  }
  if (typeof value !== 'string' || value.length > MOST_CHARACTERS) return undefined
  const text = value.trim()
  const amount = budgetOf(text)?.amount ?? plainNumber(text)
  return amount === undefined ? undefined : `send ${amount}`
}

/** Digits, with spaces between groups of three, and a fraction. */
function plainNumber(text: string): number | undefined {
  const digits = /^\d{1,3}(?:[ \u00a0\u202f']\d{3}){1,4}(?:\.\d{1,6})?$|^\d{1,12}(?:\.\d{1,6})?$/.exec(text)?.[0]
  return digits === undefined ? undefined : Number(digits.replaceAll(/[ \u00a0\u202f']/g, ''))
}

function meantChannels(word: string): string | undefined {
  const channels = synonymsOf(stem(word.trim().toLowerCase())).flatMap((term) =>
    term.startsWith('channel:') ? [JSON.stringify(term.slice('channel:'.length))] : [],
  )
  return channels.length === 0 ? undefined : `send ${channels.join(' or ')}`
}

const CODES_OF_LANGUAGES = languageCodes()

function languageCodes(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  const codes = letters.flatMap((first) => letters.map((second) => first + second))
  return new Map(codes.flatMap((code) => (names.of(code) ? [[String(names.of(code)).toLowerCase(), code] as const] : [])))
}

/** ISO 639-1 of the English name of a language, or of a longer tag such as "en-US". */
function languageCode(text: string): string | undefined {
  const name = text.trim().toLowerCase()
  return CODES_OF_LANGUAGES.get(name) ?? /^([a-z]{2})[-_][a-z]{2,4}$/.exec(name)?.[1]
}

function onlyOne(codes: readonly string[]): string | undefined {
  return codes.length === 1 ? codes[0] : undefined
}

function sendText(text: string | undefined): string | undefined {
  return text === undefined ? undefined : `send ${JSON.stringify(text)}`
}

import type { WantedForm } from '../protocol/errors.ts'
import { isObject } from '../protocol/is-object.ts'
import { DAY_MS } from './calendar/instant.ts'
import { countriesNamedIn } from './country-names.ts'
import { standardFormatIds } from './creative/formats/standard-formats.ts'
import { budgetOf } from './product/brief-money.ts'
import { regionsNamedIn } from './product/brief-places.ts'
import { synonymsOf } from './product/brief-synonyms.ts'
import { stem } from './product/brief-terms.ts'

/** Longer texts are no value that was meant to be a number or a name. */
const MOST_CHARACTERS = 60

/** What to send in place of a value of another form: as the end of a sentence, and the value itself where there is one alone. */
export interface Meant {
  readonly words: string
  readonly value?: unknown
}

/** Of which agent formats are, and which member holds the value. */
interface Around {
  readonly agentUrl?: string
  readonly name?: string
}

/** The words of {@link meant}. */
export function meantValue(wanted: WantedForm | undefined, value: unknown, around: Around = {}): string | undefined {
  return meant(wanted, value, around)?.words
}

/**
 * What to send in place of a value of another form: the number in "5 000 USD", the code of "Sweden" or "English", the channels of
 * "video", the reference of "display_300x250" as a format of this agent, the moment at which a day begins, or ends where the member (`name`) is an end. Undefined
 * where nothing can be told from the value.
 */
export function meant(wanted: WantedForm | undefined, value: unknown, { agentUrl, name = '' }: Around = {}): Meant | undefined {
  if (wanted === 'number') return meantNumber(value, name)
  if (wanted === undefined || typeof value !== 'string' || value.length > MOST_CHARACTERS) return undefined
  if (wanted === 'list') return send(codesIn(name, value) ?? namesIn(value))
  if (wanted === 'moment' && END.test(name)) return endOfDay(value) ?? MEANT.moment(value)
  return MEANT[wanted](value, agentUrl)
}

/** Members that are the end of a time. */
const END = /(?:^|_)(?:end|end_time|ends_at|end_at|until)$/

/** The codes of the names in a text, for a list whose member says what its entries are; undefined where one has none. */
function codesIn(member: string, text: string): string[] | undefined {
  const codeOf = CODE_OF.find(([members]) => members.test(member))?.[1]
  const codes = codeOf && text.split(/,|&|\sand\s/).map((name) => codeOf(name))
  const known = codes?.filter((code) => code !== undefined)
  return known?.length === codes?.length ? known : undefined
}

const CODE_OF: readonly (readonly [members: RegExp, codeOf: (text: string) => string | undefined])[] = [
  [/(?:^|_)countries(?:_|$)/, codeOfCountry],
  [/(?:^|_)regions(?:_|$)/, (text) => onlyOne(regionsNamedIn(text))],
  [/(?:^|_)languages?(?:_|$)/, languageCode],
]

const MEANT: Readonly<Record<Exclude<WantedForm, 'number' | 'list'>, (text: string, agentUrl?: string) => Meant | undefined>> = {
  country: (text) => send(codeOfCountry(text)),
  region: (text) => send(onlyOne(regionsNamedIn(text))),
  language: (text) => send(languageCode(text)),
  currency: meantCurrency,
  flag: meantFlag,
  moment: (text) => noDay(text) ?? send(momentOf(text)),
  day: (text) => noDay(text) ?? send(dayOf(text)),
  domain: (text) => send(domainOf(text)),
  channel: meantChannels,
  format: (text, agentUrl) => {
    const id = formatIdOf(text)
    return agentUrl !== undefined && id !== undefined ? send({ agent_url: agentUrl, id }) : undefined
  },
}

/** The id of a format: as it is sent, and of a size alone that of the display format. */
function formatIdOf(text: string): string | undefined {
  if (!/^\d/.test(text)) return /^[\w-]+$/.test(text) ? text : undefined
  const display = `display_${text.trim().toLowerCase().replaceAll(' ', '')}`
  return standardFormatIds.has(display) ? display : undefined
}

const WORDS_OF_CURRENCY: Readonly<Record<string, string>> = {
  kr: '"SEK", "NOK" or "DKK"',
  '€': '"EUR"',
  euro: '"EUR"',
  euros: '"EUR"',
  $: '"USD"',
  dollar: '"USD"',
  dollars: '"USD"',
  '£': '"GBP"',
  pounds: '"GBP"',
}

function meantCurrency(text: string): Meant | undefined {
  const word = text.trim().toLowerCase()
  if (Object.hasOwn(WORDS_OF_CURRENCY, word)) return { words: `send ${WORDS_OF_CURRENCY[word]}` }
  return /^[a-z]{3}$/.test(word) ? send(word.toUpperCase()) : undefined
}

function meantFlag(text: string): Meant | undefined {
  if (/^(?:true|yes|on|1)$/i.test(text)) return send(true)
  return /^(?:false|no|off|0)$/i.test(text) ? send(false) : undefined
}

/** Says of a date that the calendar does not have that it has not. */
function noDay(text: string): Meant | undefined {
  const day = /^(\d{4}-\d{2}-\d{2})(?:$|[T ])/.exec(text.trim())?.[1]
  return day !== undefined && dayOf(text) === undefined ? { words: `the calendar has no ${day}` } : undefined
}

/** The day that a text begins with, where the calendar has it. */
function dayOf(text: string): string | undefined {
  const day = /^(\d{4}-\d{2}-\d{2})(?:$|[T ])/.exec(text.trim())?.[1]
  const at = new Date(`${day}T00:00:00Z`)
  // The parser takes a thirtieth of February for a day of March.
  return day !== undefined && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day) ? day : undefined
}

/** The moment at which a day ends: days of an end are included, as those of a plan are. */
function endOfDay(text: string): Meant | undefined {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text.trim()) ? dayOf(text) : undefined
  if (day === undefined) return undefined
  const value = `${new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10)}T00:00:00Z`
  return { words: `send "${value}", the end of ${day}`, value }
}

/** A day, or a time without a zone, as a moment of UTC. */
function momentOf(text: string): string | undefined {
  const time = /^\d{4}-\d{2}-\d{2}[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(text.trim())
  const day = time || /^\d{4}-\d{2}-\d{2}$/.test(text.trim()) ? dayOf(text) : undefined
  return day && `${day}T${time ? `${time[1]}:${time[2]}:${time[3] ?? '00'}` : '00:00:00'}Z`
}

function domainOf(text: string): string | undefined {
  const host = /^(?:https?:\/\/)?(?:www\.)?([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?:[/?#]\S*)?$/i.exec(text.trim())?.[1]
  return host?.toLowerCase()
}

/** Members that say how many times something is what was expected, and those that are an hour of a day. */
const INDEX = /(?:^|_)index$/
const HOUR = /(?:^|_)hour$/

/** An amount that was sent as a text with its currency, or as an object of both. */
function meantNumber(value: unknown, name: string): Meant | undefined {
  if (isObject(value)) {
    const amount = [value.amount, value.total, value.value].find((each) => typeof each === 'number')
    return amount === undefined ? undefined : { words: `send the amount alone: ${amount}`, value: amount }
  }
  if (typeof value !== 'string' || value.length > MOST_CHARACTERS) return undefined
  const text = value.trim().replace(/px$/, '')
  // "+10%" is a change, and no amount.
  const percent = INDEX.test(name) ? /^(\d{1,4}(?:\.\d{1,2})?)\s?%$/.exec(text)?.[1] : undefined
  if (percent !== undefined) return send(Number(percent) / 100)
  const hour = HOUR.test(name) ? /^(\d{1,2}):00(?::00)?$/.exec(text)?.[1] : undefined
  if (hour !== undefined && Number(hour) <= 24) return send(Number(hour))
  if (text.endsWith('%')) return { words: 'send the amount itself, not a change of it' }
  const amount = plainNumber(text.replace(/\+$/, '')) ?? thousands(text) ?? budgetOf(text)?.amount
  return send(amount)
}

/** "5k" and "1M". */
function thousands(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,6}(?:\.\d{1,2})?)\s?([km])$/i.exec(text) ?? []
  return digits === undefined ? undefined : Math.round(Number(digits) * (unit.toLowerCase() === 'k' ? 1e3 : 1e6))
}

/** Names that were sent as one text with commas, as SQL and query strings have them; any other text is one entry. */
function namesIn(text: string): string[] {
  const names = text.split(',').map((name) => name.trim())
  return names.every((name) => /^[\w.-]+$/.test(name)) ? names : [text]
}

/** A number beside the sign or the code of a currency. */
const AMOUNT = /^(?:[A-Z]{3}|[A-Z]{0,2}[$€£¥]|kr\.?)?\s*(\d[\d\s.,'’]*)(?:[A-Z]{3}|[$€£¥]|kr\.?|:-|,-)?$/i

function plainNumber(text: string): number | undefined {
  // Alone, "5,000" is five thousand to some and five to others.
  if (/^\d{1,3}[.,]\d{3}$/.test(text)) return undefined
  const digits = AMOUNT.exec(text)?.[1]?.replace(/[\s'’]/g, '')
  const plain = digits && withPoint(digits)
  return plain === undefined || plain === '' ? undefined : Number(plain)
}

/** Digits with a point before the fraction. Marks that three digits follow each time stand between thousands. */
function withPoint(digits: string): string | undefined {
  if (/^\d{1,15}(?:\.\d{1,2})?$/.test(digits)) return digits
  if (/^\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,2})?$/.test(digits)) return digits.replaceAll(',', '')
  if (/^\d{1,3}(?:\.\d{3}){1,4}(?:,\d{1,2})?$/.test(digits)) return digits.replaceAll('.', '').replace(',', '.')
  return /^\d{1,15},\d{1,2}$/.test(digits) ? digits.replace(',', '.') : undefined
}

function meantChannels(word: string): Meant | undefined {
  const channels = synonymsOf(stem(word.trim().toLowerCase())).flatMap((term) =>
    term.startsWith('channel:') ? [term.slice('channel:'.length)] : [],
  )
  const [only, ...others] = channels
  return others.length === 0 ? send(only) : { words: `send ${channels.map((each) => JSON.stringify(each)).join(' or ')}` }
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

const COUNTRIES = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })

/** A code in small letters, or the one country that a text names. */
function codeOfCountry(text: string): string | undefined {
  const code = text.trim().toUpperCase()
  return /^[A-Z]{2}$/.test(code) && COUNTRIES.of(code) !== undefined ? code : onlyOne(countriesNamedIn(text))
}

function onlyOne(codes: readonly string[]): string | undefined {
  return codes.length === 1 ? codes[0] : undefined
}

function send(value: unknown): Meant | undefined {
  return value === undefined ? undefined : { words: `send ${JSON.stringify(value)}`, value }
}

import { withoutMarks } from '../normal-text.ts'
import { readPart } from './brief-terms.ts'

/** Names of the months in the languages that briefs come in, without accents. */
const MONTHS: readonly string[] = [
  'january|january|januar|januari|janvier|enero|gennaio|jan',
  'february|februar|februari|fevrier|febrero|febbraio|feb',
  'march|marz|maerz|mars|marzo|maart|marts|mar',
  'april|avril|abril|aprile|apr',
  'may|mai|mayo|maggio|maj|mei',
  'june|juni|juin|junio|giugno|jun',
  'july|juli|juillet|julio|luglio|jul',
  'august|aout|agosto|augusti|augustus|aug',
  'september|septembre|septiembre|settembre|sept|sep',
  'october|oktober|octobre|octubre|ottobre|oct|okt',
  'november|novembre|noviembre|nov',
  'december|dezember|decembre|diciembre|dicembre|desember|dec|dez',
]
/** The number of a month, from 0, by its name. */
export const MONTH_OF = new Map(MONTHS.flatMap((names, month) => names.split('|').map((name) => [name, month] as const)))

const COUNTS: Readonly<Record<string, number>> = {
  ...{ a: 1, one: 1, eine: 1, une: 1, una: 1, en: 1, een: 1, two: 2, zwei: 2, deux: 2, dos: 2, due: 2, tva: 2, to: 2, twee: 2 },
  ...{
    three: 3,
    drei: 3,
    trois: 3,
    tres: 3,
    tre: 3,
    drie: 3,
    four: 4,
    vier: 4,
    quatre: 4,
    cuatro: 4,
    quattro: 4,
    fyra: 4,
    fire: 4,
  },
  ...{ five: 5, six: 6, seven: 7, eight: 8, ten: 10, twelve: 12 },
}
/** Days of one of what is counted. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ...'day days tag tage jour jours dia dias giorno giorni dag dagar dager dagen'.split(' ').map((name) => [name, 1] as const),
  ...'week weeks woche wochen semaine semaines semana semanas settimana settimane vecka veckor uke uker weken'
    .split(' ')
    .map((name) => [name, 7] as const),
])
/** Words that begin a flight, end it, and join its ends. */
export const FROM = new Set('from starting beginning ab vom von partir desde dal fran fra vanaf'.split(' '))
export const UNTIL = new Set('until till til through thru bis jusqu hasta entro tot fino'.split(' '))
const TO = new Set(['to', 'and', '-', '\u2013', '\u2014', 'au', 'al', 'a', 'och', 'und', 'y', 'et', ...UNTIL])
/** Words between the parts of a date that say nothing. */
const FILLERS = new Set(', . of on the de del di du le el den zum la au en met st nd rd th er o'.split(' '))

/** A day of which the year may be left open. */
export interface Day {
  readonly year: number | undefined
  readonly month: number
  readonly day: number
}

/** What was read, and the position of what comes after it. */
export interface Read<T> {
  readonly value: T
  readonly next: number
}

/** Words, numbers and signs; whole dates in figures are one. */
const TOKEN = /\d{4}-\d{2}-\d{2}|\d{1,2}\.\d{1,2}\.\d{4}|\d+|\p{L}+|[^\s\p{L}\d]/gu

export type Tokens = readonly string[]

/** The tokens of a text, of a very long one only those of its beginning. */
export function tokensOf(text: string): Tokens {
  return withoutMarks(readPart(text)).match(TOKEN) ?? []
}

/** The date after a word that begins a flight. */
export function fromAt(tokens: Tokens, at: number): Read<Day> | undefined {
  return FROM.has(tokens[at] ?? '') ? dateAt(tokens, skip(tokens, at + 1)) : undefined
}

/** The position after fillers: few stand in a row. */
export function skip(tokens: Tokens, at: number): number {
  let next = at
  while (next < at + 3 && FILLERS.has(tokens[next] ?? '')) next++
  return next
}

/** The position after a word that leads to the end of a range; that of nothing where there is none. */
export function afterTo(tokens: Tokens, at: number): number {
  const to = FILLERS.has(tokens[at] ?? '') && !TO.has(tokens[at] ?? '') ? skip(tokens, at) : at
  if (!TO.has(tokens[to] ?? '')) return tokens.length
  return skip(tokens, to + 1)
}

/** A whole date: 2026-12-11, 11.12.2026, 11 December 2026, December 11 2026. */
export function dateAt(tokens: Tokens, at: number): Read<Day> | undefined {
  const token = tokens[at] ?? ''
  if (token.length === 10 && token[4] === '-') {
    const [year, month, day] = token.split('-').map(Number)
    return { value: { year, month: (month ?? 0) - 1, day: day ?? 0 }, next: at + 1 }
  }
  if (token.includes('.') && token.length > 1) {
    const [day, month, year] = token.split('.').map(Number)
    return { value: { year, month: (month ?? 0) - 1, day: day ?? 0 }, next: at + 1 }
  }
  const month = MONTH_OF.get(token)
  const day = dayAt(tokens, month === undefined ? at : skip(tokens, at + 1))
  if (!day) return undefined
  if (month !== undefined) return withYear(tokens, { month, day: day.value }, day.next)
  const named = skip(tokens, day.next)
  const after = MONTH_OF.get(tokens[named] ?? '')
  return after === undefined ? undefined : withYear(tokens, { month: after, day: day.value }, named + 1)
}

function withYear(tokens: Tokens, day: Pick<Day, 'month' | 'day'>, at: number): Read<Day> {
  const year = yearAt(tokens, at)
  return { value: { ...day, year: year?.value }, next: year?.next ?? at }
}

/** The first day of a month, with its year where it is named. */
export function monthAt(tokens: Tokens, at: number): Read<Day> | undefined {
  const month = MONTH_OF.get(tokens[at] ?? '')
  return month === undefined ? undefined : withYear(tokens, { month, day: 1 }, at + 1)
}

/** A year of this or the next century. */
export function yearAt(tokens: Tokens, at: number): Read<number> | undefined {
  const next = skip(tokens, at)
  const token = tokens[next] ?? ''
  return /^2[01]\d\d$/.test(token) ? { value: Number(token), next: next + 1 } : undefined
}

/** A day of a month: 11, 11th. */
export function dayAt(tokens: Tokens, at: number): Read<number> | undefined {
  const token = tokens[at] ?? ''
  if (!/^\d{1,2}$/.test(token) || Number(token) < 1 || Number(token) > 31) return undefined
  const next = /^(?:st|nd|rd|th|er)$/.test(tokens[at + 1] ?? '') ? at + 2 : at + 1
  return { value: Number(token), next }
}

/** Words before the number of a calendar week; "v" is written with its number alone. */
const WEEKS = new Set(
  'week weeks wk wks w kw kalenderwoche kalenderwochen woche wochen semaine semaines semana semanas settimana settimane vecka veckor v uke uker uge uger weken'.split(
    ' ',
  ),
)
const NUMBER_SIGNS = new Set(['.', '#', '-', ':', 'no', 'nr', 'number', 'nummer'])

/** Words before a length or a rate: "a week", "per week". */
const COUNTED = new Set(
  'a an per each every one two three four five six eight ten pro par por om eine zwei drei deux trois dos tres una due tre'.split(
    ' ',
  ),
)
/** After a number that is none of a week: "week 10,000", "w18+", "a week 3 times". */
const OF_AMOUNTS = new Set('+ % x times impressions imps views clicks eur usd gbp sek nok dkk chf per days day'.split(' '))
/** Weeks from the first to the last of "w50-52"; more are ages ("w18-34" are women). */
const MOST_BY_LETTER = 5

function isCounted(word = ''): boolean {
  return COUNTED.has(word) || /^\d+$/.test(word)
}

function isAmount(tokens: Tokens, at: number): boolean {
  const [sign = '', next = ''] = tokens.slice(at, at + 2)
  return OF_AMOUNTS.has(sign) || ((sign === ',' || sign === '.') && /^\d{3}$/.test(next))
}

function isOfAges(tokens: Tokens, named: number, number: number): boolean {
  const end = tokens[afterTo(tokens, number + 1)] ?? ''
  return tokens[named] === 'w' && /^\d{1,2}$/.test(end) && Math.abs(Number(end) - Number(tokens[number])) > MOST_BY_LETTER
}

/** A calendar week (ISO 8601). */
export interface Week {
  readonly year: number | undefined
  readonly week: number
}

/** A calendar week with its year where it is named: "week 51", "w51", "KW 51/2026", "2026-W51"; `bare`: the number alone, where a range goes on. */
export function weekAt(tokens: Tokens, at: number, bare?: 'of a range'): Read<Week> | undefined {
  const leading = /^2[01]\d\d$/.test(tokens[at] ?? '') ? Number(tokens[at]) : undefined
  const named = leading === undefined ? at : tokens[at + 1] === '-' ? at + 2 : at + 1
  const isNamed = WEEKS.has(tokens[named] ?? '') && !isCounted(tokens[named - 1])
  if (!isNamed && (!bare || leading !== undefined)) return undefined
  let number = isNamed ? named + 1 : at
  while (isNamed && number < named + 3 && NUMBER_SIGNS.has(tokens[number] ?? '')) number++
  const token = tokens[number] ?? ''
  const week = /^\d{1,2}$/.test(token) ? Number(token) : 0
  if (week < 1 || week > 53 || isAmount(tokens, number + 1) || isOfAges(tokens, named, number)) return undefined
  const after = tokens[number + 1] === '/' ? number + 2 : number + 1
  const year = leading === undefined ? yearAt(tokens, after) : undefined
  return { value: { week, year: leading ?? year?.value }, next: year?.next ?? number + 1 }
}

/** Days: "two weeks". */
export function lengthAt(tokens: Tokens, at: number): Read<number> | undefined {
  const [count = '', unit = ''] = tokens.slice(at, at + 2)
  const number = Object.hasOwn(COUNTS, count) ? COUNTS[count] : /^\d{1,3}$/.test(count) ? Number(count) : undefined
  const days = UNITS.get(unit)
  return number === undefined || number < 1 || days === undefined ? undefined : { value: number * days, next: at + 2 }
}

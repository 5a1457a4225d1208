import { DAY_MS } from '../calendar/instant.ts'
import {
  afterTo,
  type Day,
  dateAt,
  dayAt,
  FROM,
  fromAt,
  lengthAt,
  MONTH_OF,
  monthAt,
  skip,
  type Tokens,
  tokensOf,
  UNTIL,
  weekAt,
  yearAt,
} from './date-words.ts'
import { withMonthNames } from './figure-dates.ts'

/** Days that a text names, `YYYY-MM-DD`; either end may be open. */
export interface NamedDays {
  readonly first?: string
  readonly last?: string
}

/** The last day on which campaigns for a holiday run: month (from 0) and day. */
const EVES: ReadonlyMap<string, Pick<Day, 'month' | 'day'>> = new Map([
  ...'christmas xmas weihnachten noel navidad natale jul julen kerst kerstmis'
    .split(' ')
    .map((name) => [name, { month: 11, day: 24 }] as const),
  ['new', { month: 11, day: 31 }],
])
const BEFORE = new Set('before vor avant antes prima fore for før inden voor'.split(' '))
const FOR = new Set('for fur pendant durante per i'.split(' '))
const IN = new Set('in during throughout im en i'.split(' '))
/**
 * The days of a flight that a text names outright, the first that it names, in English and the languages that briefs come in. A year that is left open is that in which
 * the flight is not over yet. Undefined when it names none, or days that do not exist. Time grows with its length.
 */
export function daysNamedIn(text: string, now: Date): NamedDays | undefined {
  const tokens = tokensOf(withMonthNames(text).text)
  for (const read of READERS) {
    for (let at = 0; at < tokens.length; at++) {
      const found = read(tokens, at, now)
      if (found) return found
    }
  }
  return undefined
}

type Reader = (tokens: Tokens, at: number, now: Date) => NamedDays | undefined

/** Whole ranges before what leaves more open. */
const READERS: readonly Reader[] = [
  weeks,
  range,
  daysOfMonth,
  daysAfterMonth,
  fromFor,
  forFrom,
  beforeHoliday,
  months,
  wholeMonth,
  openEnd,
]

/** "week 51", "KW 50-51", "weeks 50 to 2 of 2027" (ISO 8601): whole weeks from Monday to Sunday. */
function weeks(tokens: Tokens, at: number, now: Date): NamedDays | undefined {
  const from = weekAt(tokens, at)
  if (!from) return undefined
  const to = weekAt(tokens, afterTo(tokens, from.next), 'of a range') ?? from
  const isOver = to.value.week < from.value.week
  const lastYear = to.value.year ?? (from.value.year === undefined ? undefined : from.value.year + (isOver ? 1 : 0))
  const ofYear = (year: number): NamedDays | undefined => {
    const first = weekStart(from.value.year ?? (isOver ? year - 1 : year), from.value.week)
    const last = weekStart(year, to.value.week)
    return first !== undefined && last !== undefined && first <= last ? { first, last: moved(last, 6) } : undefined
  }
  if (lastYear !== undefined) return ofYear(lastYear)
  const today = now.toISOString().slice(0, 10)
  const year = now.getUTCFullYear()
  // Days at the turn of the year are of a week of another year; a week 53 is in some years alone.
  const years = Array.from({ length: YEARS_AHEAD }, (_, index) => year - 1 + index)
  return years.map(ofYear).find((days) => (days?.last ?? '') >= today)
}

/** Week 53 comes after seven years at the latest. */
const YEARS_AHEAD = 9

/** The Monday of a week: week 1 has the 4th of January. Undefined for a week that the year does not have. */
function weekStart(year: number, week: number): string | undefined {
  const fourth = Date.UTC(year, 0, 4)
  const monday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * DAY_MS + (week - 1) * 7 * DAY_MS
  const isReal = new Date(monday + 3 * DAY_MS).getUTCFullYear() === year && year >= 2000 && year < 2200
  return isReal ? new Date(monday).toISOString().slice(0, 10) : undefined
}

/** "1 March to 15 April", "2026-12-11 - 2026-12-24". */
function range(tokens: Tokens, at: number, now: Date): NamedDays | undefined {
  const first = dateAt(tokens, at)
  const last = first && dateAt(tokens, afterTo(tokens, first.next))
  return last && between(first.value, last.value, now)
}

/** "11 to 24 December 2026", "11.-24. Dezember". */
function daysOfMonth(tokens: Tokens, at: number, now: Date): NamedDays | undefined {
  const first = dayAt(tokens, at)
  const last = first && dateAt(tokens, afterTo(tokens, first.next))
  return last && between({ ...last.value, day: first.value }, last.value, now)
}

/** "December 11 to 24, 2026". */
function daysAfterMonth(tokens: Tokens, at: number, now: Date): NamedDays | undefined {
  const month = MONTH_OF.get(tokens[at] ?? '')
  const first = month === undefined ? undefined : dayAt(tokens, skip(tokens, at + 1))
  const last = first && dayAt(tokens, afterTo(tokens, first.next))
  if (month === undefined || !first || !last || MONTH_OF.has(tokens[skip(tokens, last.next)] ?? '')) return undefined
  const year = yearAt(tokens, last.next)?.value
  return between({ year, month, day: first.value }, { year, month, day: last.value }, now)
}

/** "from 1 March for two weeks". */
function fromFor(tokens: Tokens, at: number, now: Date): NamedDays | undefined {
  const first = fromAt(tokens, at)
  const over = first && skip(tokens, first.next)
  if (over === undefined || !FOR.has(tokens[over] ?? '')) return undefined
  return lasting(first?.value, lengthAt(tokens, over + 1)?.value, now)
}

/** "two weeks from 1 March". */
function forFrom(tokens: Tokens, at: number, now: Date): NamedDays | undefined {
  const length = lengthAt(tokens, at)
  return length && lasting(fromAt(tokens, length.next)?.value, length.value, now)
}

/** "two weeks before Christmas". */
function beforeHoliday(tokens: Tokens, at: number, now: Date): NamedDays | undefined {
  const length = lengthAt(tokens, at)
  if (!length || !BEFORE.has(tokens[length.next] ?? '')) return undefined
  const eve = EVES.get(tokens[skip(tokens, length.next + 1)] ?? '')
  const last = eve && between({ year: undefined, ...eve }, { year: undefined, ...eve }, now)?.last
  return last === undefined ? undefined : { first: moved(last, 1 - length.value), last }
}

/** "from March to May 2027". */
function months(tokens: Tokens, at: number, now: Date): NamedDays | undefined {
  const [word = ''] = tokens.slice(at, at + 1)
  if (!FROM.has(word) && !IN.has(word) && word !== 'between') return undefined
  const first = monthAt(tokens, at + 1)
  const last = first && monthAt(tokens, afterTo(tokens, first.next))
  return last && between({ ...first.value, day: 1 }, lastOf(last.value), now)
}

/** "in December", "December 2026". */
function wholeMonth(tokens: Tokens, at: number, now: Date): NamedDays | undefined {
  const isIn = IN.has(tokens[at] ?? '')
  const month = monthAt(tokens, isIn ? at + 1 : at)
  if (!month || (!isIn && month.value.year === undefined) || dayAt(tokens, skip(tokens, month.next))) return undefined
  return between({ ...month.value, day: 1 }, lastOf(month.value), now)
}

/** "from 1 March", "until 24 December". */
function openEnd(tokens: Tokens, at: number, now: Date): NamedDays | undefined {
  const first = fromAt(tokens, at)
  if (first) return { first: between(first.value, first.value, now)?.first ?? '' }
  const last = UNTIL.has(tokens[at] ?? '') ? dateAt(tokens, skip(tokens, at + 1)) : undefined
  return last && { last: between(last.value, last.value, now)?.last ?? '' }
}

/** The last day of a month; that of February in a year that is left open is the 28th. */
function lastOf({ year, month }: Day): Day {
  return { year, month, day: new Date(Date.UTC(year ?? 2001, month + 1, 0)).getUTCDate() }
}

/** The days from one to another; open years are those in which the flight is not over yet. */
function between(from: Day, to: Day, now: Date): NamedDays | undefined {
  const today = now.toISOString().slice(0, 10)
  const isOver = from.month > to.month || (from.month === to.month && from.day > to.day)
  const yearOfLast = to.year ?? (from.year === undefined ? yearNotOver(to, today) : from.year + (isOver ? 1 : 0))
  const yearOfFirst = from.year ?? yearOfLast - (isOver ? 1 : 0)
  const [first, last] = [textOf(from, yearOfFirst), textOf(to, yearOfLast)]
  return first !== undefined && last !== undefined && first <= last ? { first, last } : undefined
}

function yearNotOver(day: Day, today: string): number {
  const year = Number(today.slice(0, 4))
  return (textOf(day, year) ?? today) < today ? year + 1 : year
}

function lasting(from: Day | undefined, days: number | undefined, now: Date): NamedDays | undefined {
  const { first } = (from && between(from, from, now)) ?? {}
  return days === undefined || first === undefined ? undefined : { first, last: moved(first, days - 1) }
}

function moved(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)
}

/** `YYYY-MM-DD` of a day that exists. */
function textOf({ month, day }: Day, year: number): string | undefined {
  const at = new Date(Date.UTC(year, month, day))
  const isReal = at.getUTCMonth() === month && at.getUTCDate() === day && year >= 2000 && year < 2200
  return isReal ? at.toISOString().slice(0, 10) : undefined
}

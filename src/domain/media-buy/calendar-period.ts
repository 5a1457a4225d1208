import { DAY_MS } from '../calendar/instant.ts'
import { dayText } from './flight.ts'

/**
 * A century, year, month or day of UTC as the beginning of an ISO 8601 date: `20`, `2026`, `2026-03`, `2026-03-14`. A period lies in those that
 * its text begins with, and texts sort each period before what lies in it.
 */
export type Period = string

/** Lengths of the texts, longest periods first. */
const LENGTHS = [2, 4, 7, 10]
/** A date on the first day of a period ends with this, from the length of the period on. */
const FIRST_DAY = '0000-01-01'

/** First day of a period, in days since 1970. */
export function firstDayOf(period: Period): number {
  return startOf(period).getTime() / DAY_MS
}

/** Number of days in a period. */
export function daysIn(period: Period): number {
  if (period.length === 10) return 1
  const end = startOf(period)
  if (period.length === 2) end.setUTCFullYear(end.getUTCFullYear() + 100)
  else if (period.length === 4) end.setUTCFullYear(end.getUTCFullYear() + 1)
  else end.setUTCMonth(end.getUTCMonth() + 1)
  return end.getTime() / DAY_MS - firstDayOf(period)
}

/** The periods that a period lies in, longest first. */
export function periodsAround(period: Period): Period[] {
  const around: Period[] = []
  for (const length of LENGTHS) if (length < period.length) around.push(period.slice(0, length))
  return around
}

/** The fewest periods that make up the days from `first` to `last` (inclusive, in days since 1970), in order. */
export function periodsBetween(first: number, last: number): Period[] {
  const periods: Period[] = []
  for (let day = first; day <= last; ) {
    const text = dayText(day)
    const period =
      LENGTHS.map((length) => text.slice(0, length)).find((each) => firstDayOf(each) === day && day + daysIn(each) - 1 <= last) ??
      text
    periods.push(period)
    day += daysIn(period)
  }
  return periods
}

/** The first and the last day of some periods, `YYYY-MM-DD`; there is at least one. */
export function spanOf(periods: readonly Period[]): { readonly first: string; readonly last: string } {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const period of periods) {
    const start = firstDayOf(period)
    first = Math.min(first, start)
    last = Math.max(last, start + daysIn(period) - 1)
  }
  return { first: dayText(first), last: dayText(last) }
}

function startOf(period: Period): Date {
  return new Date(`${period}${FIRST_DAY.slice(period.length)}T00:00:00Z`)
}

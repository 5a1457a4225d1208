import type { LocalCalendar } from '../calendar/local-time.ts'
import { monthBefore, nextMonth } from './billing-lines.ts'

/** A day (UTC) of which a part is in another month of the publisher's time zone. */
export interface SharedDay {
  readonly day: string
  /** The month that has the other part, `YYYY-MM`. */
  readonly month: string
}

/** The days (UTC) that overlap a month of a publisher's calendar, and those that a month beside has a part of. */
export interface ReportedDays {
  readonly first: string
  readonly last: string
  readonly shared: readonly SharedDay[]
}

/** The days (UTC) whose reports have deliveries of a month `YYYY-MM` of a calendar. */
export function reportedDays(month: string, calendar: LocalCalendar): ReportedDays {
  const [start, end] = [calendar.startOf(`${month}-01`), calendar.startOf(`${nextMonth(month)}-01`)]
  const [first, last] = [utcDay(start), utcDay(new Date(end.getTime() - 1))]
  const shared = [
    ...(isUtcMidnight(start) ? [] : [{ day: first, month: monthBefore(month) }]),
    ...(isUtcMidnight(end) ? [] : [{ day: last, month: nextMonth(month) }]),
  ]
  return { first, last, shared }
}

function utcDay(at: Date): string {
  return at.toISOString().slice(0, 10)
}

function isUtcMidnight(at: Date): boolean {
  return at.toISOString().endsWith('T00:00:00.000Z')
}

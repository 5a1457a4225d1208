import { DAY_MS } from '../calendar/instant.ts'
import { atLocalHour, localDay, nextDay } from '../calendar/local-time.ts'
import { WEEKDAYS, type Weekday } from '../calendar/time-units.ts'

/** How often a saved report is sent. */
export const REPEATS = ['daily', 'weekly', 'monthly'] as const
export type Repeat = (typeof REPEATS)[number]

/** The last day that every month has. */
export const LAST_MONTH_DAY = 28

/** `saved`: the days that the report was saved with; `period`: the day, the week or the month before the day of sending. */
export const COVERED_DAYS = ['saved', 'period'] as const
export type CoveredDays = (typeof COVERED_DAYS)[number]

/** When a report is sent, in the time zone of the publisher. */
export interface Repetition {
  readonly every: Repeat
  /** Of a weekly report. */
  readonly weekday: Weekday
  /** Of a monthly report, 1 to {@link LAST_MONTH_DAY}. */
  readonly monthDay: number
  /** 0 to 23. */
  readonly hour: number
}

/** The first moment of sending after another moment. */
export function nextSending(after: Date, repetition: Repetition, timeZone: string): Date {
  // A day of sending comes within 32 days.
  for (let day = localDay(after, timeZone); ; day = nextDay(day)) {
    if (!isSendingDay(day, repetition)) continue
    const at = atLocalHour(day, repetition.hour, timeZone)
    if (at > after) return at
  }
}

/** Sendings that are made up for after an outage: a week of daily reports. */
export const MOST_MADE_UP = 7

/** The sending that is made now, when one was due at `due`: the same, unless more than {@link MOST_MADE_UP} have been missed since; then the oldest of those. */
export function sendingDue(due: Date, now: Date, repetition: Repetition, timeZone: string): Date {
  let [oldest, found] = [due, 0]
  for (let day = localDay(now, timeZone); found < MOST_MADE_UP; day = dayBefore(day)) {
    if (!isSendingDay(day, repetition)) continue
    const at = atLocalHour(day, repetition.hour, timeZone)
    if (at <= due) return due
    if (at > now) continue
    oldest = at
    found += 1
  }
  return oldest
}

/** What a saved report says of its days: fixed ones, or the last so many. */
interface SavedDays {
  readonly first?: string | undefined
  readonly last?: string | undefined
  readonly last_days?: number | undefined
}

/** The days of the report that is sent at a moment, both included. Days that move end with the day before, which is over. */
export function reportedDays(
  at: Date,
  { first, last, last_days: days = 30 }: SavedDays,
  { covers, ...repetition }: Repetition & { readonly covers: CoveredDays },
  timeZone: string,
): { readonly first: string; readonly last: string } {
  const today = localDay(at, timeZone)
  if (covers === 'period') return { first: periodStart(today, repetition), last: dayBefore(today) }
  if (first !== undefined && last !== undefined) return { first, last }
  return { first: daysBefore(today, days), last: dayBefore(today) }
}

function isSendingDay(day: string, { every, weekday, monthDay }: Repetition): boolean {
  if (every === 'monthly') return Number(day.slice(8)) === monthDay
  return every === 'daily' || WEEKDAYS[(new Date(Date.parse(day)).getUTCDay() + 6) % 7] === weekday
}

/** The day of the sending before. */
function periodStart(today: string, { every }: Pick<Repetition, 'every'>): string {
  if (every !== 'monthly') return daysBefore(today, every === 'daily' ? 1 : 7)
  const month = dayBefore(`${today.slice(0, 7)}-01`).slice(0, 7)
  return `${month}${today.slice(7)}`
}

function dayBefore(day: string): string {
  return daysBefore(day, 1)
}

function daysBefore(day: string, count: number): string {
  return new Date(Date.parse(day) - count * DAY_MS).toISOString().slice(0, 10)
}

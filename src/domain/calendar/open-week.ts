import { DAY_MS, HOUR_MS } from './instant.ts'
import type { LocalHour } from './local-hour.ts'

/** Hours of a week in which something may be shown (AdCP core/daypart-target.json). */
export interface Daypart {
  readonly days: readonly string[]
  readonly start_hour: number
  readonly end_hour: number
}

/** The hours of a week from Monday 00:00 UTC on, one digit each: 1 for an open one, 0 for a closed one. */
export type OpenWeek = string

/** Days of the week as AdCP enums/day-of-week.json names them. */
export const WEEK: readonly string[] = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
export const DAY_HOURS = 24
export const WEEK_HOURS = WEEK.length * DAY_HOURS

/** An hour shows at most this part of what a day has, however busy it is: a fuller one is no reason to refuse a booking. */
export const MOST_IN_HOUR = 1 / 8

/** Whether each hour of a local week is open, from Monday 00:00 on. */
export function openHoursOf(dayparts: readonly Daypart[]): readonly boolean[] {
  const isOpen = Array.from({ length: WEEK_HOURS }, () => false)
  for (const { days, start_hour, end_hour } of dayparts)
    for (const day of days) {
      const first = WEEK.indexOf(day) * DAY_HOURS
      if (first >= 0) isOpen.fill(true, first + start_hour, first + Math.max(start_hour, end_hour))
    }
  return isOpen
}

/**
 * The week of dayparts in UTC, by the local `hourAt` of the start of a flight: a later change of the clock moves it by an hour. Undefined where no dayparts are named, and
 * everything is open.
 */
export function openWeekOf(
  dayparts: readonly Daypart[] | undefined,
  hourAt: (at: number) => LocalHour,
  startsAt: string,
): OpenWeek | undefined {
  if (!dayparts || dayparts.length === 0) return undefined
  const isOpen = openHoursOf(dayparts)
  const start = Math.floor(Date.parse(startsAt) / HOUR_MS) * HOUR_MS
  const { day, hour } = hourAt(start)
  const ahead = WEEK.indexOf(day) * DAY_HOURS + hour - hourOfWeek(start)
  return Array.from({ length: WEEK_HOURS }, (_, at) => (isOpen[(at + ahead + WEEK_HOURS) % WEEK_HOURS] ? '1' : '0')).join('')
}

/** How long a week is open on a UTC day, of which only the time from `start` to `end` counts; ms since 1970. */
export function openMsOn(week: OpenWeek, day: number, start: number, end: number): number {
  const first = hourOfWeek(day * DAY_MS)
  let open = 0
  for (let hour = 0; hour < DAY_HOURS; hour++) {
    if (week[first + hour] !== '1') continue
    const at = day * DAY_MS + hour * HOUR_MS
    open += Math.max(0, Math.min(end, at + HOUR_MS) - Math.max(start, at))
  }
  return open
}

/** Hours that each day of a week is open, where it is the same for all of them; undefined where days differ. */
export function hoursOfEachDay(week: OpenWeek): number | undefined {
  const hours = WEEK.map((_, day) => week.slice(day * DAY_HOURS, (day + 1) * DAY_HOURS).replaceAll('0', '').length)
  return new Set(hours).size === 1 ? hours[0] : undefined
}

/** The part of what a day has that its open hours show at most. */
export function partOfDay(openHours: number): number {
  return Math.min(1, openHours * MOST_IN_HOUR)
}

/** The hour of its UTC week that a moment (ms since 1970) begins; 1 January 1970 was a Thursday. */
function hourOfWeek(at: number): number {
  return (Math.floor(at / HOUR_MS) + 3 * DAY_HOURS) % WEEK_HOURS
}

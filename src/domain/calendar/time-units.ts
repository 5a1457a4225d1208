import type { Flight } from './flight.ts'
import { DAY_MS, HOUR_MS } from './instant.ts'
import { localCalendar } from './local-time.ts'
import { passedDays } from './passed-days.ts'

export const TIME_UNITS = ['hour', 'day', 'week', 'month'] as const
export type TimeUnit = (typeof TIME_UNITS)[number]

/** In the order of ISO 8601. */
export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
export type Weekday = (typeof WEEKDAYS)[number]

/** A flight as a publisher sells it: `timeZone` is the publisher's (IANA), absent UTC. */
export interface SoldFlight extends Flight {
  readonly timeZone?: string | undefined
}

/** Started time units of a flight. */
export function timeUnits(unit: TimeUnit, flight: SoldFlight): number {
  if (unit === 'hour') return Math.ceil(lengthMs(flight) / HOUR_MS)
  if (unit !== 'month') return Math.ceil(startedDays(flight) / (unit === 'week' ? 7 : 1))
  const { timeZone = 'UTC' } = flight
  const inUtc = startedMonths(flight, 'UTC')
  return timeZone === 'UTC' ? inUtc : Math.min(inUtc, startedMonths(flight, timeZone))
}

/**
 * Months of the calendar from the day and the time at which a flight begins, one that has begun counts; an hour is left over, for clocks that change meanwhile. A buyer's month is one of the publisher's time zone or one
 * of UTC, in which dates of proposals are: {@link timeUnits} counts the fewer of both.
 */
function startedMonths(flight: Flight, timeZone: string): number {
  const { msAt } = passedDays(localCalendar(timeZone))
  const [startMs, endMs] = [msAt(Date.parse(flight.startsAt)), msAt(Date.parse(flight.endsAt))]
  const [start, end] = [new Date(startMs), new Date(endMs)]
  const whole = (end.getUTCFullYear() - start.getUTCFullYear()) * 12 + end.getUTCMonth() - start.getUTCMonth()
  const anniversary = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + whole, start.getUTCDate()) + (startMs % DAY_MS)
  return Math.max(1, anniversary + HOUR_MS < endMs ? whole + 1 : whole)
}

/**
 * Days that a price by the day charges, whoever sold it: days of the calendar from the time of day at which the flight begins, one that has begun counts. An hour is left over, since the day on which clocks go back has 25; the day on
 * which they go forward has 23.
 */
export function startedDays(flight: Flight): number {
  return Math.max(1, Math.ceil((lengthMs(flight) - HOUR_MS) / DAY_MS))
}

/** Started slots of so many hours in a flight. */
export function slotsIn(flight: Flight, hours: number): number {
  return Math.ceil(lengthMs(flight) / (hours * HOUR_MS))
}

function lengthMs({ startsAt, endsAt }: Flight): number {
  return Date.parse(endsAt) - Date.parse(startsAt)
}

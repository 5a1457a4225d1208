import type { Flight } from './flight.ts'
import { DAY_MS, HOUR_MS } from './instant.ts'

export const TIME_UNITS = ['hour', 'day', 'week', 'month'] as const
export type TimeUnit = (typeof TIME_UNITS)[number]

/** In the order of ISO 8601. */
export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
export type Weekday = (typeof WEEKDAYS)[number]

/** Started time units of a flight; months are calendar months (UTC). */
export function timeUnits(unit: TimeUnit, flight: Flight): number {
  if (unit === 'hour') return Math.ceil(lengthMs(flight) / HOUR_MS)
  if (unit !== 'month') return Math.ceil(startedDays(flight) / (unit === 'week' ? 7 : 1))
  const [start, end] = [new Date(flight.startsAt), new Date(flight.endsAt)]
  const whole = (end.getUTCFullYear() - start.getUTCFullYear()) * 12 + end.getUTCMonth() - start.getUTCMonth()
  const anniversary =
    Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + whole, start.getUTCDate()) + (start.getTime() % DAY_MS)
  return Math.max(1, anniversary < end.getTime() ? whole + 1 : whole)
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

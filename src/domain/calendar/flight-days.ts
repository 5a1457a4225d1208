import type { Flight } from './flight.ts'
import { isPlannable } from './instant.ts'
import { type LocalCalendar, nextDay } from './local-time.ts'

/** A day `YYYY-MM-DD` of a flight, and the time `HH:MM` at which the flight begins or ends within it; null: it has the whole day. */
export interface FlightDay {
  readonly day: string
  readonly time: string | null
}

/** A minute: an end at 23:59:59 is the end of the day. */
const MINUTE_MS = 60_000

/** The first day of a flight that begins at a moment (ISO 8601). */
export function firstDayOf(startsAt: string, calendar: LocalCalendar): FlightDay {
  const at = new Date(startsAt)
  const day = calendar.dayOf(at)
  return { day, time: at.getTime() === calendar.startOf(day).getTime() ? null : calendar.timeOf(at) }
}

/** The last day of a flight that ends at a moment (ISO 8601), which itself is not part of it: midnight ends the day before. */
export function lastDayOf(endsAt: string, calendar: LocalCalendar): FlightDay {
  const at = new Date(endsAt)
  const day = calendar.dayOf(new Date(at.getTime() - 1))
  // An order that was stored before ends were bounded may end with the calendar, whose last day has no next one.
  const left = isPlannable(at.getTime()) ? endOfLastDay(day, calendar).getTime() - at.getTime() : 0
  return { day, time: left < MINUTE_MS ? null : calendar.timeOf(at) }
}

/** The moment at which a flight ends that has all of its last day `YYYY-MM-DD`. Throws RangeError for what is no day. */
export function endOfLastDay(day: string, calendar: LocalCalendar): Date {
  return calendar.startOf(nextDay(day))
}

/** The days of a flight. */
export interface FlightDays {
  readonly first: FlightDay
  readonly last: FlightDay
}

/** The first and the last day of a flight: what every list, sheet and page says of it. */
export function flightDaysOf({ startsAt, endsAt }: Flight, calendar: LocalCalendar): FlightDays {
  return { first: firstDayOf(startsAt, calendar), last: lastDayOf(endsAt, calendar) }
}

/** A day of a flight, with its time when it has one: `2026-11-24 09:30`. */
export function flightDayText({ day, time }: FlightDay): string {
  return time === null ? day : `${day} ${time}`
}

/** The days of a flight as text: `2026-11-24 – 2026-11-30`, one day alone, and times where the flight has not the whole day. */
export function flightDaysText({ first, last }: FlightDays): string {
  const [from, to] = [flightDayText(first), flightDayText(last)]
  return from === to ? from : `${from} – ${to}`
}

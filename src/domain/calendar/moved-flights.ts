import type { Flight } from './flight.ts'
import { endOfLastDay, firstDayOf, lastDayOf } from './flight-days.ts'
import { DAY_MS } from './instant.ts'
import type { LocalCalendar } from './local-time.ts'

/**
 * Flights, all moved by as many days so that the earliest begins on `first` (`YYYY-MM-DD`); each is of whole days then. Without any to move, or where the earliest begins that
 * day already, they stay as they are.
 */
export function movedFlights(flights: readonly Flight[], first: string, calendar: LocalCalendar): readonly Flight[] {
  const days = flights.map(
    ({ startsAt, endsAt }) => [firstDayOf(startsAt, calendar).day, lastDayOf(endsAt, calendar).day] as const,
  )
  const [earliest] = days.map(([day]) => day).sort()
  const moved = earliest === undefined ? 0 : Date.parse(first) - Date.parse(earliest)
  if (moved === 0) return flights
  return days.map(([from, to]) => ({
    startsAt: calendar.startOf(later(from, moved)).toISOString(),
    endsAt: endOfLastDay(later(to, moved), calendar).toISOString(),
  }))
}

function later(day: string, byMs: number): string {
  return new Date(Math.round((Date.parse(day) + byMs) / DAY_MS) * DAY_MS).toISOString().slice(0, 10)
}

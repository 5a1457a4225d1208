import type { Flight } from './flight.ts'
import { endOfLastDay, firstDayOf, lastDayOf } from './flight-days.ts'
import { DAY_MS, HOUR_MS } from './instant.ts'
import type { LocalCalendar } from './local-time.ts'

/**
 * Flights, all moved by as many days of a calendar so that the earliest begins on `first` (`YYYY-MM-DD`); each begins and ends at the time of day that it had. Without any to move, or where the earliest
 * begins that day already, they stay as they are.
 */
export function movedFlights(flights: readonly Flight[], first: string, calendar: LocalCalendar): readonly Flight[] {
  const [earliest] = flights.map(({ startsAt }) => firstDayOf(startsAt, calendar).day).sort()
  const moved = earliest === undefined ? 0 : Date.parse(first) - Date.parse(earliest)
  if (moved === 0) return flights
  return flights.map(({ startsAt, endsAt }) => {
    const [from, to] = [firstDayOf(startsAt, calendar), lastDayOf(endsAt, calendar)]
    const [start, end] = [later(from.day, moved), later(to.day, moved)]
    return {
      startsAt: (from.time === null ? calendar.startOf(start) : atTimeOf(startsAt, from.day, start, calendar)).toISOString(),
      endsAt: (to.time === null ? endOfLastDay(end, calendar) : atTimeOf(endsAt, to.day, end, calendar)).toISOString(),
    }
  })
}

/** The moment of a day at which clocks show what they showed at a moment of another day; where they skip that time, as long after midnight. */
function atTimeOf(moment: string, day: string, other: string, calendar: LocalCalendar): Date {
  const at = new Date(moment)
  const about = calendar.startOf(other).getTime() + at.getTime() - calendar.startOf(day).getTime()
  const time = calendar.timeOf(at)
  // A day on which the clocks change is an hour longer or shorter.
  return (
    [0, -HOUR_MS, HOUR_MS].map((shift) => new Date(about + shift)).find((each) => calendar.timeOf(each) === time) ??
    new Date(about)
  )
}

function later(day: string, byMs: number): string {
  return new Date(Math.round((Date.parse(day) + byMs) / DAY_MS) * DAY_MS).toISOString().slice(0, 10)
}

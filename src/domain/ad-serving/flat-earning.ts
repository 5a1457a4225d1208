import type { Flight } from '../calendar/flight.ts'
import type { LocalCalendar } from '../calendar/local-time.ts'
import { type PassedDays, passedDays } from '../calendar/passed-days.ts'
import { mulDiv } from '../money.ts'

/** A flight with its price, in micros. */
export interface PricedFlight extends Flight {
  readonly priceMicros: number
}

/** How a flat price is earned. Moments are in milliseconds. */
export interface FlatEarning extends Pick<PassedDays, 'endOfDay'> {
  /** What is earned until a moment, cut to the micro: nothing before the flight, the price from its end on. */
  microsAt(at: number): number
}

/**
 * How the price of a flight is earned, whoever counts what it shows: each day of the publisher's `calendar` has an equal part, however many hours it has, and a day that the flight has in part has as
 * much of it. Differences of what is earned add up to the price.
 */
export function flatEarning({ priceMicros, startsAt, endsAt }: PricedFlight, calendar: LocalCalendar): FlatEarning {
  const { msAt, endOfDay } = passedDays(calendar)
  const [start, end] = [Date.parse(startsAt), Date.parse(endsAt)]
  const [first, last] = [msAt(start), msAt(end)]
  return {
    endOfDay,
    microsAt(at) {
      if (at <= start) return 0
      return at >= end ? priceMicros : mulDiv(priceMicros, msAt(at) - first, last - first)
    },
  }
}

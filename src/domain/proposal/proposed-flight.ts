import type { Flight } from '../calendar/flight.ts'
import { DAY_MS, HOUR_MS } from '../calendar/instant.ts'
import type { Question } from '../product/product-question.ts'

/** A flight that no buyer dated begins so late that a hold can last as long as it may, and creatives can be made. */
const AHEAD_DAYS = 7
const USUAL_DAYS = 30

/**
 * The flight that a proposal is made for: the days of the question (its last one included), else thirty days from the week after next. `leadMs`: how long before
 * the flight creatives of the products are due. A flight that has begun already begins with the next hour. Undefined when it is over.
 */
export function proposedFlight({ filters = {} }: Question, now: Date, leadMs: number): Flight | undefined {
  const soonest = Math.ceil((now.getTime() + leadMs + 1) / HOUR_MS) * HOUR_MS
  const usual = Math.ceil(Math.max(soonest, now.getTime() + AHEAD_DAYS * DAY_MS + leadMs) / DAY_MS) * DAY_MS
  const end = dayOf(filters.end_date)
  const start = dayOf(filters.start_date) ?? (end === undefined ? usual : Math.min(usual, end))
  const startsAt = Math.max(start, soonest)
  const endsAt = end === undefined ? startsAt + USUAL_DAYS * DAY_MS : end + DAY_MS
  return endsAt > startsAt ? flightOf(startsAt, endsAt) : undefined
}

/** Bounds that a flight has to meet (AdCP 3.2 media-buy/proposal-refinement.json, `constraints.flight`). */
export interface FlightBounds {
  readonly start_no_later_than?: string
  readonly end_no_earlier_than?: string
}

/** A flight moved into its bounds as far as it can begin from now on. One that has begun keeps its length and begins as soon as it can. */
export function boundedFlight(flight: Flight, bounds: FlightBounds, now: Date, leadMs: number): Flight {
  const soonest = Math.ceil((now.getTime() + leadMs + 1) / HOUR_MS) * HOUR_MS
  const [first, last] = [Date.parse(flight.startsAt), Date.parse(flight.endsAt)]
  const latest = instant(bounds.start_no_later_than) ?? Number.POSITIVE_INFINITY
  const earliestEnd = instant(bounds.end_no_earlier_than) ?? Number.NEGATIVE_INFINITY
  const start = Math.max(Math.min(first, latest), soonest)
  const kept = start > first ? last + (start - first) : last
  return flightOf(start, Math.max(kept, earliestEnd))
}

function flightOf(start: number, end: number): Flight {
  return { startsAt: new Date(start).toISOString(), endsAt: new Date(end).toISOString() }
}

function dayOf(text: string | undefined): number | undefined {
  return instant(text === undefined ? undefined : `${text.slice(0, 10)}T00:00:00.000Z`)
}

function instant(text: string | undefined): number | undefined {
  const at = text === undefined ? Number.NaN : Date.parse(text)
  return Number.isNaN(at) ? undefined : at
}

import { rememberedDayText } from '../domain/media-buy/flight.ts'
import { sharesOf } from '../domain/media-buy/inventory.ts'
import { shownRoom } from '../domain/media-buy/shown-room.ts'
import type { Availability, AvailabilityQuery } from './ad-server.ts'

/** Availability by the daily capacity of products and what other orders hold of them: what the days of a flight have left. */
export function plannedAvailability(queries: readonly AvailabilityQuery[]): readonly Availability[] {
  const textOf = rememberedDayText()
  return queries.map((query) => availabilityOf(query, textOf))
}

/** Enough means that an even spread of the wish fits on each day. What is left is as each day's part is shown: many days would tell more digits of it. */
function availabilityOf(
  { productId, flight, impressions, dailyCapacity, held }: AvailabilityQuery,
  textOf: (day: number) => string,
): Availability {
  const shares = sharesOf(impressions, flight, textOf)
  return {
    productId,
    available: shares.reduce((sum, { period }) => sum + held.leftIn(period, dailyCapacity, shownRoom), 0),
    sufficient: shares.every((share) => share.impressions <= Math.max(0, dailyCapacity - held.mostIn(share.period))),
  }
}

import { daysIn } from '../domain/media-buy/calendar-period.ts'
import { rememberedDayText } from '../domain/media-buy/flight.ts'
import { type PeriodShare, sharesOf } from '../domain/media-buy/inventory.ts'
import { shownRoom } from '../domain/media-buy/shown-room.ts'
import { mapInTurns } from '../platform/concurrency/yield-to-event-loop.ts'
import type { Availability, AvailabilityQuery } from './ad-server.ts'

/** A flight of a year by open hours takes some tenths of a millisecond, and an order has hundreds of packages. */
const QUERIES_OF_A_STEP = 2

/** Availability by the daily capacity of products and what other orders hold of them: what the days of a flight have left. Others are served meanwhile. */
export function plannedAvailability(queries: readonly AvailabilityQuery[]): Promise<readonly Availability[]> {
  const textOf = rememberedDayText()
  return mapInTurns(queries, (query) => availabilityOf(query, textOf), QUERIES_OF_A_STEP)
}

/** Enough means that an even spread of the wish over its open hours fits on each day. What is left is as each day's part is shown: many days would tell more digits of it. */
function availabilityOf(
  { productId, flight, impressions, dailyCapacity, held, openWeek }: AvailabilityQuery,
  textOf: (day: number) => string,
): Availability {
  const shares = sharesOf(impressions, flight, { openWeek, textOf })
  const leftIn = ({ period, part = 1 }: PeriodShare) =>
    Math.min(held.leftIn(period, dailyCapacity, shownRoom), daysIn(period) * shownRoom(dailyCapacity * part))
  return {
    productId,
    available: shares.reduce((sum, share) => sum + leftIn(share), 0),
    sufficient: shares.every(
      ({ period, impressions: wanted, part = 1 }) =>
        wanted <= Math.max(0, Math.min(dailyCapacity - held.mostIn(period), dailyCapacity * part)),
    ),
  }
}

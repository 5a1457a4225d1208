import { AdcpError } from '../../protocol/errors.ts'
import { split } from '../money.ts'
import { DAY_MS, daysOf, type Flight } from './flight.ts'

/** Impressions that a booking holds on one UTC day. */
export interface DayShare {
  readonly day: string
  readonly impressions: number
}

/** Spreads a booking over the days of its flight by how much of each day it covers; the sum is exactly `impressions`. */
export function dailyShares(impressions: number, flight: Flight): DayShare[] {
  const days = daysOf(flight)
  const weights = days.map((day) => coveredMs(day, flight))
  const parts = split(impressions, weights)
  return days.map((day, index) => ({ day, impressions: parts[index] ?? 0 }))
}

/** Reserved impressions of a product on one day, a candidate booking included. */
export interface DayLoad {
  readonly day: string
  readonly reserved: number
}

/**
 * Checks that no day of a flight is sold beyond the product's daily capacity. Throws PRODUCT_UNAVAILABLE naming `<path>.product_id`
 * with the first day that is full.
 */
export function requireCapacity(productId: string, dailyCapacity: number, loads: readonly DayLoad[], path: string): void {
  const full = loads.find((load) => load.reserved > dailyCapacity)
  if (!full) return
  throw new AdcpError('PRODUCT_UNAVAILABLE', `${productId} does not have enough inventory left in this flight`, {
    field: `${path}.product_id`,
    suggestion: 'lower the budget, move the flight, or choose a different product',
    details: { product_id: productId, first_full_day: full.day },
  })
}

function coveredMs(day: string, { startsAt, endsAt }: Flight): number {
  const start = Date.parse(day)
  return Math.min(Date.parse(endsAt), start + DAY_MS) - Math.max(Date.parse(startsAt), start)
}

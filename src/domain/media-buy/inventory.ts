import { AdcpError } from '../../protocol/errors.ts'
import { split } from '../money.ts'
import { DAY_MS, dayRangeOf, dayText, type Flight, rememberedDayText } from './flight.ts'
import type { Package } from './media-buy.ts'

/** Impressions that a booking holds on one UTC day. */
export interface DayShare {
  /** `YYYY-MM-DD`. */
  readonly day: string
  readonly impressions: number
}

/** Spreads a booking over the days of its flight by how much of each day it covers; the sum is exactly `impressions`. */
export function dailyShares(impressions: number, flight: Flight, textOf: (day: number) => string = dayText): DayShare[] {
  const { first, last } = dayRangeOf(flight)
  const [start, end] = [Date.parse(flight.startsAt), Date.parse(flight.endsAt)]
  const days = Array.from({ length: last - first + 1 }, (_, index) => first + index)
  const weights = days.map((day) => Math.min(end, (day + 1) * DAY_MS) - Math.max(start, day * DAY_MS))
  const parts = split(impressions, weights)
  return days.map((day, index) => ({ day: textOf(day), impressions: parts[index] ?? 0 }))
}

/** How much more, or less, of a product is held on one day. */
export interface DayChange {
  readonly day: string
  readonly delta: number
}

/**
 * What moves in the inventory when the packages of a media buy change: by product, the sum over its packages for each day, days in
 * order and products too, so that all who change inventory lock it in one order. Days on which nothing changes are left out.
 */
export function reservationChanges(
  before: readonly Package[],
  after: readonly Package[],
): ReadonlyMap<string, readonly DayChange[]> {
  const textOf = rememberedDayText()
  const products = new Map<string, Map<string, number>>()
  const add = (pkg: Package, sign: 1 | -1) => {
    if (pkg.reservedImpressions === 0) return
    const deltas = products.get(pkg.productId) ?? new Map<string, number>()
    products.set(pkg.productId, deltas)
    for (const { day, impressions } of dailyShares(pkg.reservedImpressions, pkg.terms, textOf)) {
      deltas.set(day, (deltas.get(day) ?? 0) + sign * impressions)
    }
  }
  for (const pkg of before) add(pkg, -1)
  for (const pkg of after) add(pkg, 1)
  const inOrder = [...products].sort(([a], [b]) => (a < b ? -1 : 1))
  return new Map(inOrder.map(([productId, deltas]) => [productId, changesOf(deltas)]))
}

function changesOf(deltas: ReadonlyMap<string, number>): DayChange[] {
  const changed = [...deltas].filter(([, delta]) => delta !== 0)
  return changed.sort(([a], [b]) => (a < b ? -1 : 1)).map(([day, delta]) => ({ day, delta }))
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

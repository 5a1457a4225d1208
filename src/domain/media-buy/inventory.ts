import { atOnce, type Steps } from '../../platform/concurrency/steps.ts'
import type { Flight } from '../calendar/flight.ts'
import { DAY_MS, HOUR_MS } from '../calendar/instant.ts'
import { DAY_HOURS, hoursOfEachDay, type OpenWeek, openMsOn, partOfDay } from '../calendar/open-week.ts'
import { mulDivCeil, split } from '../money.ts'
import { type Period, periodsAround, periodsBetween } from './calendar-period.ts'
import { dayCountOf, dayRangeOf, dayText, rememberedDayText } from './flight.ts'
import type { HeldInventory } from './held-inventory.ts'
import type { Package } from './media-buy.ts'
import { type BookedBudget, shortageOf, soldOut } from './shortage.ts'

/** Impressions that a booking holds on each day of a period. */
export interface PeriodShare {
  readonly period: Period
  readonly impressions: number
  /** The part of what a day has that its open hours show at most; absent: all of it. */
  readonly part?: number
}

/** Flights of up to a month are held day by day, longer ones in the fewest periods: some hundred at most, however long. */
const MAX_DAYS = 31
/** The most days that are held one by one for a booking which is open on some days of the week more than on others. */
export const MOST_OPEN_DAYS = 366

/** How a booking is spread. */
interface Spread {
  /** The hours in which it may be shown; absent: all. */
  readonly openWeek?: OpenWeek | undefined
  readonly textOf?: (day: number) => string
}

/**
 * Spreads a booking evenly over the open hours of its flight, by how much of each day they cover: a day without one holds nothing. Up to a month, and up to {@link MOST_OPEN_DAYS} days where the days of a week
 * differ, the sum is exactly `impressions`; beyond it what is held on a day is rounded up.
 */
export function sharesOf(impressions: number, flight: Flight, { openWeek, textOf = dayText }: Spread = {}): PeriodShare[] {
  const days = dayCountOf(flight)
  const hours = openWeek === undefined ? DAY_HOURS : hoursOfEachDay(openWeek)
  const open = openWeek !== undefined && days <= (hours === undefined ? MOST_OPEN_DAYS : MAX_DAYS)
  const shares = open ? openShares(impressions, flight, openWeek, textOf) : []
  if (shares.length > 0) return shares
  if (days <= MAX_DAYS) return dailyShares(impressions, flight, textOf)
  const whole = periodShares(impressions, flight)
  const part = partOfDay(hours ?? DAY_HOURS)
  return part < 1 ? whole.map((share) => ({ ...share, part })) : whole
}

/** The days with open hours; empty where the flight has none. */
function openShares(impressions: number, flight: Flight, week: OpenWeek, textOf: (day: number) => string): PeriodShare[] {
  const { first, last } = dayRangeOf(flight)
  const [start, end] = [Date.parse(flight.startsAt), Date.parse(flight.endsAt)]
  const days = Array.from({ length: last - first + 1 }, (_, index) => first + index)
  const open = days.flatMap((day) => {
    const ms = openMsOn(week, day, start, end)
    return ms > 0 ? [{ day, ms }] : []
  })
  if (open.length === 0) return []
  const parts = split(
    impressions,
    open.map(({ ms }) => ms),
  )
  return open.map(({ day, ms }, index) => ({
    period: textOf(day),
    impressions: parts[index] ?? 0,
    part: partOfDay(ms / HOUR_MS),
  }))
}

function dailyShares(impressions: number, flight: Flight, textOf: (day: number) => string): PeriodShare[] {
  const { first, last } = dayRangeOf(flight)
  const [start, end] = [Date.parse(flight.startsAt), Date.parse(flight.endsAt)]
  const days = Array.from({ length: last - first + 1 }, (_, index) => first + index)
  const weights = days.map((day) => Math.min(end, (day + 1) * DAY_MS) - Math.max(start, day * DAY_MS))
  const parts = split(impressions, weights)
  return days.map((day, index) => ({ period: textOf(day), impressions: parts[index] ?? 0 }))
}

/** Days that the flight covers in part are held by themselves, so that no day outside it loses anything. */
function periodShares(impressions: number, { startsAt, endsAt }: Flight): PeriodShare[] {
  const [start, end] = [Date.parse(startsAt), Date.parse(endsAt)]
  const [first, afterLast] = [Math.ceil(start / DAY_MS), Math.floor(end / DAY_MS)]
  const share = (coveredMs: number) => mulDivCeil(impressions, coveredMs, end - start)
  const before = first * DAY_MS - start
  const after = end - afterLast * DAY_MS
  return [
    ...(before > 0 ? [{ period: dayText(first - 1), impressions: share(before) }] : []),
    ...periodsBetween(first, afterLast - 1).map((period) => ({ period, impressions: share(DAY_MS) })),
    ...(after > 0 ? [{ period: dayText(afterLast), impressions: share(after) }] : []),
  ]
}

/** How much more, or less, of a product is held on each day of a period. */
export interface PeriodChange {
  readonly period: Period
  readonly delta: number
}

/** What something that is sold holds of the inventory. */
export type Holding = Pick<Package, 'productId' | 'reservedImpressions' | 'openWeek'> & { readonly terms: Flight }

/**
 * What moves in the inventory when the packages of a media buy change: by product, the sum over its packages for each period, periods in
 * order and products too, so that all who change inventory lock it in one order. Periods in which nothing changes are left out.
 */
export function reservationChanges(before: readonly Holding[], after: readonly Holding[]): ReservationChanges {
  return atOnce(reservationSteps(before, after))
}

type ReservationChanges = ReadonlyMap<string, readonly PeriodChange[]>

/** {@link reservationChanges} of as many packages as an order may have: each is a step of some tenths of a millisecond. */
export function* reservationSteps(before: readonly Holding[], after: readonly Holding[]): Steps<ReservationChanges> {
  const textOf = rememberedDayText()
  const products = new Map<string, Map<Period, number>>()
  const add = (pkg: Holding, sign: 1 | -1) => {
    if (pkg.reservedImpressions === 0) return
    const { openWeek } = pkg
    const deltas = products.get(pkg.productId) ?? new Map<Period, number>()
    products.set(pkg.productId, deltas)
    for (const { period, impressions } of sharesOf(pkg.reservedImpressions, pkg.terms, { openWeek, textOf })) {
      deltas.set(period, (deltas.get(period) ?? 0) + sign * impressions)
    }
  }
  for (const [holdings, sign] of [
    [before, -1],
    [after, 1],
  ] as const)
    for (const pkg of holdings) {
      yield
      add(pkg, sign)
    }
  const inOrder = [...products].sort(([a], [b]) => (a < b ? -1 : 1))
  return new Map(inOrder.map(([productId, deltas]) => [productId, changesOf(deltas)]))
}

function changesOf(deltas: ReadonlyMap<Period, number>): PeriodChange[] {
  const changed = [...deltas].filter(([, delta]) => delta !== 0)
  return changed.sort(([a], [b]) => (a < b ? -1 : 1)).map(([period, delta]) => ({ period, delta }))
}

/**
 * The rows that a change writes, in order: its periods and, unchanged, those around them. Two bookings that share a day write a row in common,
 * whatever periods they are held in, and so wait for each other.
 */
export function rowsToWrite(changes: readonly PeriodChange[]): PeriodChange[] {
  const deltas = new Map(changes.map(({ period, delta }) => [period, delta]))
  for (const { period } of changes) for (const around of periodsAround(period)) deltas.set(around, deltas.get(around) ?? 0)
  return [...deltas].sort(([a], [b]) => (a < b ? -1 : 1)).map(([period, delta]) => ({ period, delta }))
}

/**
 * Checks that no day of which more is held than before is sold beyond the product's daily capacity. `held`: after the change. Throws
 * PRODUCT_UNAVAILABLE naming `<path>.product_id`, the days that are too full, and how much would fit: in the money of `budget` too, which is that of what comes to it.
 */
export function requireCapacity(
  productId: string,
  dailyCapacity: number,
  { changes, held }: { readonly changes: readonly PeriodChange[]; readonly held: HeldInventory },
  path: string,
  budget?: BookedBudget,
): void {
  const shortage = shortageOf(changes, (period, delta) => dailyCapacity - held.mostIn(period) + delta)
  if (shortage) throw soldOut(productId, shortage, path, budget)
}

import { atOnce, type Steps } from '../../platform/concurrency/steps.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { addCounts } from '../add-counts.ts'
import { DAY_MS } from '../calendar/instant.ts'
import { requireOrder } from '../order.ts'
import type { CreativeFact, MediaBuy, Package, RecordedDelivery, Window } from './media-buy.ts'

/** Counts that add up over days and packages. Money in micros; rating points in thousandths. */
export interface Metrics {
  readonly impressions: number
  readonly spendMicros: number
  readonly clicks: number
  readonly views: number
  readonly completedViews: number
  readonly viewableImpressions: number
  readonly conversions: number
  /** In the currency of the buy. */
  readonly conversionValueMicros: number
  readonly milliPoints: number
}

/** Metrics of one UTC day, `YYYY-MM-DD`. */
export interface DayMetrics extends Metrics {
  readonly day: string
}

/** What the ad server reports of one line: the days on which something happened, in order. */
export interface LineReport {
  readonly packageId: string
  readonly days: readonly DayMetrics[]
}

/** What the ad server reports of one line by the hour of UTC, `YYYY-MM-DDTHH`. */
export interface LineHours {
  readonly packageId: string
  readonly hours: ReadonlyMap<string, Metrics>
}

/** Delivery of a package, a buy or several: `total` is the sum of `days` by construction. */
export interface DeliverySum {
  readonly total: Metrics
  readonly days: readonly DayMetrics[]
}

export interface BuyDelivery extends DeliverySum {
  readonly packages: ReadonlyMap<string, DeliverySum>
}

/** Inclusive range of UTC days; an absent bound is open. */
export interface DayRange {
  readonly first?: string
  readonly last?: string
}

export const NOTHING: Metrics = {
  impressions: 0,
  spendMicros: 0,
  clicks: 0,
  views: 0,
  completedViews: 0,
  viewableImpressions: 0,
  conversions: 0,
  conversionValueMicros: 0,
  milliPoints: 0,
}

/** Sum of two sets of counts. */
export function addMetrics(a: Metrics, b: Metrics): Metrics {
  return addCounts(NOTHING, a, b)
}

/** What `a` has more than `b`. */
export function difference(a: Metrics, b: Metrics): Metrics {
  return addCounts(NOTHING, a, b, -1)
}

/**
 * Delivery of a media buy: the ad server's reports plus what was recorded from elsewhere, cut to a range of days. The buy's total is the sum
 * of its packages and of its days, exactly. `dayOf`: the day of what was recorded at a moment, as the days of the reports are; default: of UTC.
 */
export function* deliveryInSteps(
  buy: MediaBuy,
  reports: readonly LineReport[],
  range: DayRange = {},
  dayOf: (at: string) => string = utcDayOf,
): Steps<BuyDelivery> {
  const daysOf = new Map(reports.map(({ packageId, days }) => [packageId, days]))
  return yield* packagesInSteps(buy, (pkg) => {
    const reported = daysOf.get(pkg.packageId) ?? []
    return [...reported, ...pkg.recorded.map((entry) => recordedDay(entry, dayOf))].filter((day) => inRange(day.day, range))
  })
}

/** {@link deliveryInSteps}, for few packages. */
export function deliveryOf(...given: Parameters<typeof deliveryInSteps>): BuyDelivery {
  return atOnce(deliveryInSteps(...given))
}

/** Delivery of a media buy from the days of each package. */
export function* packagesInSteps(buy: MediaBuy, daysOf: (pkg: Package) => readonly DayMetrics[]): Steps<BuyDelivery> {
  const packages = new Map<string, DeliverySum>()
  const byDay: DaySums = new Map()
  for (const pkg of buy.packages) {
    const sum = sumDays(daysOf(pkg))
    packages.set(pkg.packageId, sum)
    addDays(byDay, sum.days)
    yield
  }
  return { packages, ...sumOf(byDay) }
}

/** Adds rows of the same day together and totals them. */
export function sumDays(rows: readonly DayMetrics[]): DeliverySum {
  const byDay: DaySums = new Map()
  addDays(byDay, rows)
  return sumOf(byDay)
}

type DaySums = Map<string, Metrics>

function addDays(byDay: DaySums, rows: readonly DayMetrics[]): void {
  for (const row of rows) byDay.set(row.day, addMetrics(byDay.get(row.day) ?? NOTHING, row))
}

function sumOf(byDay: DaySums): DeliverySum {
  const days = [...byDay].map(([day, metrics]) => ({ ...metrics, day })).sort((a, b) => (a.day < b.day ? -1 : 1))
  return { days, total: days.reduce<Metrics>(addMetrics, NOTHING) }
}

/** Stretches in which a package had an ad to serve: closed ones of earlier assignments, then the present ones while nothing ended them. */
export function servingWindows(pkg: Package, facts: readonly CreativeFact[] = []): Window[] {
  if (!pkg.needsCreatives) return [{ from: new Date(0).toISOString() }]
  const windows = facts.flatMap(({ served = [], servesFrom }) => [
    ...served,
    ...(servesFrom === undefined ? [] : [{ from: servesFrom }]),
  ])
  return [...pkg.pastServing, ...windows]
}

/** Days of a request (`start_date`, `end_date`). Throws INVALID_REQUEST when they are no days or reversed. */
export function rangeOf(startDate: string | undefined, endDate: string | undefined): DayRange {
  const first = startDate === undefined ? undefined : dayOf(startDate, 'start_date')
  const last = endDate === undefined ? undefined : dayOf(endDate, 'end_date')
  requireOrder({ value: first, field: 'start_date' }, { value: last, field: 'end_date' })
  return { ...(first !== undefined && { first }), ...(last !== undefined && { last }) }
}

/**
 * Days of a report whose `end_date` is the first day after it (get_media_buy_delivery "Date Range Behavior"). The same day twice, which would be no day at all,
 * is taken for that day. Throws INVALID_REQUEST when they are no days or reversed.
 */
export function rangeBefore(startDate: string | undefined, endDate: string | undefined): DayRange {
  const range = rangeOf(startDate, endDate)
  return range.last === undefined || range.first === range.last ? range : { ...range, last: dayFrom(range.last, -1) }
}

/** The day that is so many days after another. */
export function dayFrom(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)
}

/** The schema asks for the form of a day alone, and what a calendar does not have is read as a day of the next month: 2026-02-30 as 2026-03-02. */
function dayOf(text: string, field: string): string {
  const at = Date.parse(text)
  // The day before the first day of year 0 has no form in a schema.
  if (Number.isNaN(at) || text < '0001' || new Date(at).toISOString().slice(0, 10) !== text) {
    throw new AdcpError('INVALID_REQUEST', `${field} is no day of the calendar`, { field })
  }
  return text
}

/** Whether a day is one of a range. */
export function inRange(day: string, { first = day, last = day }: DayRange): boolean {
  return day >= first && day <= last
}

function recordedDay(entry: RecordedDelivery, dayOf: (at: string) => string): DayMetrics {
  const { at, ...counts } = entry
  return { ...NOTHING, ...counts, day: dayOf(at) }
}

const utcDayOf = (at: string) => at.slice(0, 10)

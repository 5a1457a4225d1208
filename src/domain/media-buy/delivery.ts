import { AdcpError } from '../../errors.ts'
import { minorUnitMicros, split } from '../money.ts'
import { DAY_MS, instantOf } from './flight.ts'
import type { CreativeFact, MediaBuy, Package, RecordedDelivery, Window } from './media-buy.ts'
import { impressionsFor, unitsFor } from './pricing.ts'

/** Counts that add up over days and packages. Money in micros; rating points in thousandths. */
export interface Metrics {
  readonly impressions: number
  readonly spendMicros: number
  readonly clicks: number
  readonly views: number
  readonly completedViews: number
  readonly viewableImpressions: number
  readonly conversions: number
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
  milliPoints: 0,
}

/** Sum of two sets of counts. */
export function addMetrics(a: Metrics, b: Metrics): Metrics {
  return {
    impressions: a.impressions + b.impressions,
    spendMicros: a.spendMicros + b.spendMicros,
    clicks: a.clicks + b.clicks,
    views: a.views + b.views,
    completedViews: a.completedViews + b.completedViews,
    viewableImpressions: a.viewableImpressions + b.viewableImpressions,
    conversions: a.conversions + b.conversions,
    milliPoints: a.milliPoints + b.milliPoints,
  }
}

/**
 * Delivery of a media buy: the ad server's reports plus what was recorded from elsewhere, cut to a range of days. The buy's total is the sum
 * of its packages and of its days, exactly.
 */
export function deliveryOf(buy: MediaBuy, reports: readonly LineReport[], range: DayRange = {}): BuyDelivery {
  const packages = new Map(
    buy.packages.map((pkg) => {
      const reported = reports.find((report) => report.packageId === pkg.packageId)?.days ?? []
      return [
        pkg.packageId,
        sumDays([...reported, ...pkg.recorded.map(recordedDay)].filter((day) => inRange(day.day, range))),
      ] as const
    }),
  )
  return { packages, ...sumDays([...packages.values()].flatMap((pkg) => pkg.days)) }
}

/** Adds rows of the same day together and totals them. */
export function sumDays(rows: readonly DayMetrics[]): DeliverySum {
  const byDay = new Map<string, Metrics>()
  for (const row of rows) byDay.set(row.day, addMetrics(byDay.get(row.day) ?? NOTHING, row))
  const days = [...byDay].map(([day, metrics]) => ({ ...metrics, day })).sort((a, b) => (a.day < b.day ? -1 : 1))
  return { days, total: days.reduce<Metrics>(addMetrics, NOTHING) }
}

/** A new figure for a media buy. Without a package it is spread over the live packages by budget. */
export interface RecordedFigures {
  readonly spendMicros: number
  readonly impressions: number
  readonly clicks: number
  readonly conversions: number
  readonly packageId?: string
}

/** Records delivery that the ad server does not report. Appends; the sum over the packages is exactly what was given. */
export function recordDelivery(buy: MediaBuy, figures: RecordedFigures, now: Date): MediaBuy {
  const live = buy.packages.filter((pkg) =>
    figures.packageId === undefined ? !pkg.cancellation : pkg.packageId === figures.packageId,
  )
  const targets = live.length > 0 ? live : buy.packages
  if (targets.length === 0) return buy
  const weights = targets.map((pkg) => Math.max(1, pkg.terms.budgetMicros / 1_000_000))
  const parts = {
    spendMicros: split(figures.spendMicros, weights),
    impressions: split(figures.impressions, weights),
    clicks: split(figures.clicks, weights),
    conversions: split(figures.conversions, weights),
  }
  const packages = buy.packages.map((pkg): Package => {
    const index = targets.indexOf(pkg)
    if (index < 0) return pkg
    const entry: RecordedDelivery = {
      at: now.toISOString(),
      spendMicros: parts.spendMicros[index] ?? 0,
      impressions: parts.impressions[index] ?? 0,
      clicks: parts.clicks[index] ?? 0,
      conversions: parts.conversions[index] ?? 0,
    }
    return { ...pkg, recorded: [...pkg.recorded, entry] }
  })
  return { ...buy, packages }
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
  if (first !== undefined && last !== undefined && first > last) {
    throw new AdcpError('INVALID_REQUEST', 'end_date is before start_date', { field: 'end_date' })
  }
  return { ...(first !== undefined && { first }), ...(last !== undefined && { last }) }
}

function dayOf(text: string, field: string): string {
  return new Date(Math.floor(instantOf(text, field) / DAY_MS) * DAY_MS).toISOString().slice(0, 10)
}

function inRange(day: string, { first = day, last = day }: DayRange): boolean {
  return day >= first && day <= last
}

function recordedDay(entry: RecordedDelivery): DayMetrics {
  const { at, ...counts } = entry
  return { ...NOTHING, ...counts, day: at.slice(0, 10) }
}

/**
 * Records what is missing until every live package has spent `percentage` of its budget; packages that have spent more stay. Impressions come at the
 * package's own price.
 */
export function recordSpendUpTo(buy: MediaBuy, delivery: BuyDelivery, percentage: number, now: Date): MediaBuy {
  const step = minorUnitMicros(buy.currency)
  return buy.packages.reduce((current, pkg) => {
    if (pkg.cancellation) return current
    const target = Math.floor((pkg.terms.budgetMicros * percentage) / 100 / step) * step
    const spendMicros = target - (delivery.packages.get(pkg.packageId)?.total.spendMicros ?? 0)
    if (spendMicros <= 0) return current
    const { model } = pkg.pricing
    const impressions = impressionsFor(model, unitsFor(model, spendMicros, pkg.terms.rateMicros))
    return recordDelivery(current, { spendMicros, impressions, clicks: 0, conversions: 0, packageId: pkg.packageId }, now)
  }, buy)
}

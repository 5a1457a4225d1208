import { minorUnitMicros, split } from '../money.ts'
import type { BuyDelivery } from './delivery.ts'
import type { MediaBuy, Package, RecordedAudience, RecordedCount, RecordedDelivery } from './media-buy.ts'
import { impressionsFor } from './planned-impressions.ts'
import { unitsFor } from './pricing.ts'

/** A new figure for a media buy. Without a package it is spread over the live packages by budget. */
export interface RecordedFigures {
  readonly spendMicros: number
  readonly impressions: number
  readonly clicks: number
  readonly conversions: number
  readonly completedViews?: number
  readonly audience?: RecordedAudience
  readonly counted?: RecordedCount
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
    completedViews: split(figures.completedViews ?? 0, weights),
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
      ...(figures.completedViews !== undefined && { completedViews: parts.completedViews[index] ?? 0 }),
      ...(figures.audience && { audience: figures.audience }),
      ...(figures.counted && { counted: figures.counted }),
    }
    return { ...pkg, recorded: [...pkg.recorded, entry] }
  })
  return { ...buy, packages }
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

/** The newest of each figure that does not add up, over these packages; people who were reached through several of them cannot be deduplicated. */
export function recordedAudience(packages: readonly Package[]): RecordedAudience {
  const entries = packages.flatMap(({ recorded }) => recorded).toSorted((a, b) => a.at.localeCompare(b.at))
  return Object.assign({}, ...entries.map(({ audience }) => audience ?? {}))
}

/** How far the count of a package is by what was recorded of it; undefined where nothing was. */
export function recordedCount({ recorded }: Package): RecordedCount | undefined {
  return recorded.findLast(({ counted }) => counted)?.counted
}

import { minorUnitMicros, split } from '../money.ts'
import type { PricingModel } from '../product/pricing-option.ts'
import { type Metrics, NOTHING } from './delivery.ts'

/** One part of a package's delivery under a dimension; weights are relative and not all zero. */
export interface Part<L> {
  readonly label: L
  readonly weight: number
}

/** How a package is paid for. */
export interface Paid {
  readonly model: PricingModel
  readonly currency: string
}

/** What each pricing model is paid by; of a price of the flight, what it shows. */
const PAID_BY: Readonly<Record<PricingModel, Exclude<keyof Metrics, 'spendMicros'>>> = {
  cpm: 'impressions',
  vcpm: 'viewableImpressions',
  cpc: 'clicks',
  cpv: 'views',
  cpcv: 'completedViews',
  cpp: 'milliPoints',
  cpa: 'conversions',
  flat_rate: 'impressions',
  time: 'impressions',
}

/**
 * A package's delivery cut into parts by weight. Every count of the parts adds up to the package's exactly, and money stays payable: value falls into multiples of the currency's minor unit
 * by weight, and spend by what is paid for, so that what a part spent is the price of its units.
 */
export function breakDown<L>(
  total: Metrics,
  parts: readonly Part<L>[],
  { model, currency }: Paid,
): { label: L; metrics: Metrics }[] {
  if (parts.length === 0) return []
  const weights = parts.map(({ weight }) => weight)
  const cent = minorUnitMicros(currency)
  const share = (count: number, step = 1) => split(count, weights, step)
  const counts = {
    impressions: share(total.impressions),
    clicks: share(total.clicks),
    views: share(total.views),
    completedViews: share(total.completedViews),
    viewableImpressions: share(total.viewableImpressions),
    conversions: share(total.conversions),
    conversionValueMicros: share(total.conversionValueMicros, cent),
    milliPoints: share(total.milliPoints),
  } satisfies Record<Exclude<keyof Metrics, 'spendMicros'>, number[]>
  const units = counts[PAID_BY[model]]
  const spend = split(total.spendMicros, units.some((count) => count > 0) ? units : weights, cent)
  return parts.map(({ label }, index) => {
    const at = (counted: readonly number[]) => counted[index] ?? 0
    const metrics: Metrics = {
      ...NOTHING,
      impressions: at(counts.impressions),
      spendMicros: at(spend),
      clicks: at(counts.clicks),
      views: at(counts.views),
      completedViews: at(counts.completedViews),
      viewableImpressions: at(counts.viewableImpressions),
      conversions: at(counts.conversions),
      conversionValueMicros: at(counts.conversionValueMicros),
      milliPoints: at(counts.milliPoints),
    }
    return { label, metrics }
  })
}

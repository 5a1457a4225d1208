import { minorUnitMicros, split } from '../money.ts'
import { type Metrics, NOTHING } from './delivery.ts'

/** One part of a package's delivery under a dimension; weights are relative and not all zero. */
export interface Part<L> {
  readonly label: L
  readonly weight: number
}

/**
 * A package's delivery cut into parts by weight. Every count of the parts adds up to the package's exactly, and money stays payable: spend and value
 * fall into multiples of the currency's minor unit.
 */
export function breakDown<L>(total: Metrics, parts: readonly Part<L>[], currency: string): { label: L; metrics: Metrics }[] {
  if (parts.length === 0) return []
  const weights = parts.map(({ weight }) => weight)
  const cent = minorUnitMicros(currency)
  const share = (count: number, step = 1) => split(count, weights, step)
  const counts = {
    impressions: share(total.impressions),
    spendMicros: share(total.spendMicros, cent),
    clicks: share(total.clicks),
    views: share(total.views),
    completedViews: share(total.completedViews),
    viewableImpressions: share(total.viewableImpressions),
    conversions: share(total.conversions),
    conversionValueMicros: share(total.conversionValueMicros, cent),
    milliPoints: share(total.milliPoints),
  } satisfies Record<keyof Metrics, number[]>
  return parts.map(({ label }, index) => {
    const at = (counted: readonly number[]) => counted[index] ?? 0
    const metrics: Metrics = {
      ...NOTHING,
      impressions: at(counts.impressions),
      spendMicros: at(counts.spendMicros),
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

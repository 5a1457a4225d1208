import { microsToAmount } from '../money.ts'
import type { Metrics } from './delivery.ts'

/**
 * Counts of core/delivery-metrics.json; those that the inventory does not produce are left out rather than shown as zero. `playable`: the impressions that could be
 * played to the end, where only some could.
 */
export function presentMetrics(metrics: Metrics, playable = metrics.impressions) {
  const { impressions, clicks, views, completedViews, viewableImpressions, conversions, milliPoints } = metrics
  return {
    impressions,
    clicks,
    ...ratio('ctr', clicks, impressions),
    ...(clicks > 0 && metrics.spendMicros > 0 && { cost_per_click: rounded(microsToAmount(metrics.spendMicros) / clicks) }),
    ...(views > 0 && { views }),
    ...(completedViews > 0 && { completed_views: completedViews, ...ratio('completion_rate', completedViews, playable) }),
    ...(conversions > 0 && { conversions }),
    ...presentValue(metrics),
    ...(milliPoints > 0 && { grps: milliPoints / 1000 }),
    ...(viewableImpressions > 0 && {
      viewability: {
        measurable_impressions: impressions,
        viewable_impressions: viewableImpressions,
        ...ratio('viewable_rate', viewableImpressions, impressions),
      },
    }),
  }
}

/** The impressions of those packages that play video or audio: a banner is never completed. */
export function playableImpressions(packages: Iterable<{ readonly total: Metrics }>): number {
  return [...packages]
    .filter(({ total }) => total.views > 0 || total.completedViews > 0)
    .reduce((sum, { total }) => sum + total.impressions, 0)
}

/** A rate between 0 and 1; counts from different sources may contradict each other, and then there is none. */
function ratio<K extends string>(name: K, part: number, whole: number): { [Key in K]?: number } {
  const rates: { [Key in K]?: number } = {}
  if (whole > 0 && part <= whole) rates[name] = part / whole
  return rates
}

/** What conversions were worth and what they cost; amounts that were given back leave nothing to show. */
export function presentValue({ conversions, conversionValueMicros: value, spendMicros: spend }: Metrics) {
  return {
    ...(value > 0 && { conversion_value: microsToAmount(value), ...(spend > 0 && { roas: rounded(value / spend) }) }),
    ...(conversions > 0 && spend > 0 && { cost_per_acquisition: rounded(microsToAmount(spend) / conversions) }),
  }
}

/** Ratios of money say no more with more digits. */
export function rounded(ratio: number): number {
  return Math.round(ratio * 10_000) / 10_000
}

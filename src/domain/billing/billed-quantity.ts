import type { Metrics } from '../media-buy/delivery.ts'
import type { PricingModel } from '../product/pricing-option.ts'

/** What is counted for money, by pricing model; flat and time prices are fees. */
export type BilledUnit =
  | 'impressions'
  | 'viewable_impressions'
  | 'clicks'
  | 'views'
  | 'completed_views'
  | 'points'
  | 'actions'
  | 'fee'

const UNITS: { readonly [Model in PricingModel]: BilledUnit } = {
  cpm: 'impressions',
  vcpm: 'viewable_impressions',
  cpc: 'clicks',
  cpv: 'views',
  cpcv: 'completed_views',
  cpp: 'points',
  cpa: 'actions',
  flat_rate: 'fee',
  time: 'fee',
}

export function billedUnit(model: PricingModel): BilledUnit {
  return UNITS[model]
}

/** How many units were billed; rating points to the thousandth. Fees have no quantity: undefined. */
export function billedQuantity(unit: BilledUnit, metrics: Metrics): number | undefined {
  switch (unit) {
    case 'impressions':
      return metrics.impressions
    case 'viewable_impressions':
      return metrics.viewableImpressions
    case 'clicks':
      return metrics.clicks
    case 'views':
      return metrics.views
    case 'completed_views':
      return metrics.completedViews
    case 'points':
      return metrics.milliPoints / 1000
    case 'actions':
      return metrics.conversions
    case 'fee':
      return undefined
  }
}

import type { Metrics } from '../media-buy/delivery.ts'
import type { PricingModel } from '../media-buy/media-buy.ts'
import { mulDiv } from '../money.ts'

type Counts = Pick<Metrics, 'impressions' | 'clicks' | 'views' | 'viewableImpressions' | 'completedViews'>

/**
 * What counts cost at a rate, in micros, rounded down: the billed units at the price of one unit (of a thousand for `cpm` and `vcpm`). Undefined for
 * prices that do not depend on these counts, such as flat rates.
 */
export function chargedMicros(model: PricingModel, rateMicros: number, counts: Counts): number | undefined {
  switch (model) {
    case 'cpm':
      return mulDiv(counts.impressions, rateMicros, 1000)
    case 'vcpm':
      return mulDiv(counts.viewableImpressions, rateMicros, 1000)
    case 'cpc':
      return counts.clicks * rateMicros
    case 'cpv':
      return counts.views * rateMicros
    case 'cpcv':
      return counts.completedViews * rateMicros
    default:
      return undefined
  }
}

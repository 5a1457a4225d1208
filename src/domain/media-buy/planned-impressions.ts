import { mulDiv } from '../money.ts'
import type { PricingModel } from '../product/pricing-option.ts'
import type { OrderTerms, Pricing } from './media-buy.ts'
import { commitmentMicros, isBilledByUnit, unitsFor } from './pricing.ts'

/**
 * Impressions that come with one billed unit, for planning inventory and for simulating it: one click in 400 impressions, viewability 70 %,
 * completion 80 %, views 60 %, 10,000 impressions a rating point (a universe of a million), one conversion in 25 clicks.
 */
const IMPRESSIONS_PER_UNIT: { readonly [Model in PricingModel]: readonly [impressions: number, units: number] } = {
  cpm: [1, 1],
  vcpm: [10, 7],
  cpc: [400, 1],
  cpcv: [10, 8],
  cpv: [10, 6],
  cpp: [10, 1],
  cpa: [10_000, 1],
  flat_rate: [0, 1],
  time: [0, 1],
}

/** Impressions that a number of billed units comes with; 0 for models that bill the flight as a whole. */
export function impressionsFor(model: PricingModel, units: number): number {
  const [impressions, per] = IMPRESSIONS_PER_UNIT[model]
  return mulDiv(units, impressions, per)
}

/** Impressions that a version of an order is expected to take from the inventory. */
export function plannedImpressions(pricing: Pricing, terms: Omit<OrderTerms, 'from' | 'running' | 'pacing'>): number {
  const goal = terms.impressions
  if (!isBilledByUnit(pricing.model) || terms.rateMicros === 0) return goal ?? pricing.estimatedImpressions ?? 0
  const bought = impressionsFor(pricing.model, unitsFor(pricing.model, commitmentMicros(pricing, terms), terms.rateMicros))
  return goal === undefined ? bought : Math.min(bought, goal)
}

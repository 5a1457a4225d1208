import type { Package } from './media-buy.ts'
import { plannedImpressions } from './planned-impressions.ts'
import { commitmentMicros, isBilledByUnit } from './pricing.ts'
import type { Counted } from './progress.ts'

/** Money (micros) where other events than impressions are billed. */
export const SHORTFALL_UNITS = ['impressions', 'money'] as const

/** What was ordered and what came of it. */
export interface Shortfall {
  readonly unit: (typeof SHORTFALL_UNITS)[number]
  readonly ordered: number
  readonly delivered: number
}

/** What is missing is a finding from a hundredth on: no ad server meets a goal to the last impression. */
const LEAST_MISSING = 0.01

/** What falls short of what was ordered by a hundredth or more; undefined: nothing does. */
export function shortfall(unit: Shortfall['unit'], ordered: number, delivered: number): Shortfall | undefined {
  return ordered > 0 && delivered <= ordered * (1 - LEAST_MISSING) ? { unit, ordered, delivered } : undefined
}

/**
 * By how much a package whose flight is over missed what it was sold as; undefined: it did not, or it promised no amount. Guaranteed packages promise what their budget buys, others
 * what the buyer set as their goal.
 */
export function shortfallOf(
  { pricing, terms, guaranteed, cancellation }: Pick<Package, 'pricing' | 'terms' | 'guaranteed' | 'cancellation'>,
  { impressions, spendMicros }: Counted,
): Shortfall | undefined {
  if (cancellation || !(guaranteed || terms.impressions !== undefined)) return undefined
  const isCounted = pricing.model === 'cpm' || !isBilledByUnit(pricing.model) || terms.rateMicros === 0
  return isCounted
    ? shortfall('impressions', plannedImpressions(pricing, terms), impressions)
    : shortfall('money', commitmentMicros(pricing, terms), spendMicros)
}

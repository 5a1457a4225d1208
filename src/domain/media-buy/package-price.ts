import { AdcpError } from '../../protocol/errors.ts'
import { instead, quoted } from '../../protocol/nearest-name.ts'
import type { Flight } from '../calendar/flight.ts'
import type { SoldFlight } from '../calendar/time-units.ts'
import { budgetToMicros } from '../money.ts'
import { pricingOption } from '../product/negotiated-price.ts'
import type { PricingOption } from '../product/pricing-option.ts'
import type { Product } from '../product/product.ts'
import { bidOf, memberAt, requireKindOfBid } from './bid.ts'
import { capMicros, requireCappable, withOwnCap } from './daily-cap.ts'
import { dayCountOf } from './flight.ts'
import type { OrderTerms, Pricing } from './media-buy.ts'
import type { PackageRequest } from './order-request.ts'
import type { PlanContext } from './plan-packages.ts'
import { isBilledByUnit, pricingOf, rateOf, requireBidInBudget, requireBudget } from './pricing.ts'
import { effectiveBid } from './shared-bid.ts'
import { requireSameCurrency } from './stated-currency.ts'

/** A flat or timed placement without an estimate rotates with others: it is planned with a quarter of the product's days. */
const FLAT_SHARE = 0.25

/** What a package costs and under which terms. Throws for a budget or bid that its pricing option does not take. */
export function priceOf(
  request: PackageRequest,
  product: Product,
  option: PricingOption,
  flight: Flight,
  path: string,
  { bidding, now, timeZone }: Pick<PlanContext, 'bidding' | 'now' | 'timeZone'>,
): { readonly pricing: Pricing; readonly terms: OrderTerms } {
  const pricing = priced(option, product, { ...flight, timeZone }, path)
  const { bids, path: at, inheritedBy } = effectiveBid(request, bidding, path)
  requireKindOfBid(bids, pricing, at, inheritedBy)
  const bid = bidOf(bids)
  const ownCap = capMicros(request.daily_budget_cap, pricing.currency, `${path}.daily_budget_cap`)
  if (ownCap !== undefined) requireCappable(pricing, `${path}.daily_budget_cap`, product.id)
  const terms: OrderTerms = {
    from: now.toISOString(),
    ...flight,
    budgetMicros: budgetToMicros(request.budget, pricing.currency, `${path}.budget`),
    ...rateOf(pricing, bid, bid ? at : path),
    ...(request.impressions !== undefined && { impressions: goalOf(request.impressions, `${path}.impressions`) }),
    pacing: request.pacing ?? 'even',
    running: request.paused !== true,
  }
  const endField = request.end_time === undefined ? 'end_time' : `${path}.end_time`
  requireBudget(pricing, terms, { path, productId: product.id, endField })
  if (bid) requireBidInBudget(pricing, terms, memberAt(at, bid.member))
  return { pricing, terms: withOwnCap(terms, ownCap) }
}

/** A goal counts whole impressions. */
export function goalOf(impressions: number, field: string): number {
  if (Number.isSafeInteger(impressions)) return impressions
  throw new AdcpError('INVALID_REQUEST', `${field} must be a whole number`, { field })
}

/** The pricing option that a package names. Throws INVALID_REQUEST where the caller may not use it. */
export function optionOf(
  product: Product,
  request: Pick<PackageRequest, 'pricing_option_id'> & Parameters<typeof requireSameCurrency>[0],
  path: string,
  { principalId, names }: Pick<PlanContext, 'principalId' | 'names'>,
): PricingOption {
  const option = pricingOption(product, request.pricing_option_id, principalId)
  if (option) {
    requireSameCurrency(request, option.currency, {
      path,
      priced: `${option.pricing_option_id} is`,
      instead: (stated) => `send the budget in ${option.currency} without currency${optionsIn(stated, product)}`,
    })
    return option
  }
  const { offer } = product
  const field = `${path}.pricing_option_id`
  const known = offer.pricing_options.map((candidate) => candidate.pricing_option_id)
  const hint = instead(request.pricing_option_id, known, 'get_products lists them', names)
  const message = `${field} ${quoted(request.pricing_option_id)} is no pricing option of ${offer.product_id}${hint}`
  throw new AdcpError('INVALID_REQUEST', message, { field, details: { pricing_option_ids: known } })
}

function optionsIn(currency: string, { offer }: Product): string {
  const ids = offer.pricing_options.flatMap((each) => (each.currency === currency ? [each.pricing_option_id] : []))
  return ids.length === 0 ? '' : `, or choose ${ids.join(' or ')}`
}

/** Prices that do not buy units come with an estimate of what the placement brings. */
function priced(option: PricingOption, { selling }: Product, flight: SoldFlight, path: string): Pricing {
  const pricing = pricingOf(option, `${path}.pricing_option_id`, flight.timeZone)
  if (pricing.estimatedImpressions !== undefined || (isBilledByUnit(pricing.model) && pricing.fixedMicros !== 0)) return pricing
  return { ...pricing, estimatedImpressions: Math.floor(selling.dailyCapacity * dayCountOf(flight) * FLAT_SHARE) }
}

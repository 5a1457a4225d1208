import type { Flight } from '../calendar/flight.ts'
import { type AskedDays, flightOfDays } from './asked-days.ts'
import { type BudgetLimit, budgetFault } from './budget-limit.ts'
import { pricingOption } from './negotiated-price.ts'
import type { KeepsTargeting } from './overlay-support.ts'
import type { PricingOption } from './pricing-option.ts'
import { minimumSpend, type Product, whyNotForFlight } from './product.ts'
import type { ProductsById } from './product-list.ts'
import type { Proposal } from './proposal.ts'

/** What may be in the answer to a request: this is the one rule for its products, its proposals, and the products of those. */
export interface Allowed {
  /** Products that pass every filter, with the prices that do. */
  readonly products: ProductsById
  readonly budget: BudgetLimit | undefined
  /** The days that plans are for; absent: none are named. */
  readonly days?: AskedDays | undefined
  /** The principal that asks. */
  readonly buyer?: string | undefined
  /** What the ad servers keep of the targeting of products; absent: all of it. */
  readonly keepsOf?: KeepsTargeting
}

/** Which of the `offered` products a request allows. Nothing is copied before it is asked for. */
export function allowedProducts(
  offered: ProductsById,
  passes: (product: Product) => boolean,
  isPriceAllowed: ((option: PricingOption) => boolean) | undefined,
): ProductsById {
  const allowed = (product: Product): Product | undefined => {
    if (!passes(product)) return undefined
    if (!isPriceAllowed) return product
    const { offer } = product
    return { ...product, offer: { ...offer, pricing_options: offer.pricing_options.filter(isPriceAllowed) } }
  }
  return {
    get(id) {
      const product = offered.get(id)
      return product && allowed(product)
    },
  }
}

/** The prices that a proposal within a budget may name: those in its currency that it can pay, for the whole flight where one is named. */
export function isAffordable({ currency, max }: BudgetLimit, flight?: Flight): (option: PricingOption) => boolean {
  return (option) => option.currency === currency && (max === undefined || minimumSpend(option, flight) <= max)
}

/** Why a proposal must not be in an answer; undefined when it may. */
export function proposalFault(proposal: Proposal, { products, budget, buyer, days }: Allowed): string | undefined {
  const flight = flightOfDays(days)
  for (const { product_id, pricing_option_id } of proposal.allocations) {
    const product = products.get(product_id)
    if (!product) return `its product ${product_id} does not pass the filters of this request`
    const option = pricingOption(product, pricing_option_id, buyer)
    if (!option)
      return `its price ${pricing_option_id ?? ''} of ${product_id} does not pass the filters or the budget of this request`
    const otherTime = whyNotForFlight(option, flight)
    if (otherTime) return `its product ${product_id} ${otherTime}`
  }
  return budgetFault(proposal, budget)
}

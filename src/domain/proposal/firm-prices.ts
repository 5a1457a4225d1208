import { pricingOption } from '../product/negotiated-price.ts'
import type { PricingOption } from '../product/pricing-option.ts'
import type { Product } from '../product/product.ts'
import type { DatedProposal, Proposal } from '../product/proposal.ts'
import type { TermsContext } from './plan-terms.ts'

/** A proposal with the prices of its products as they are now (`ext.firm_prices`, by product id): an order of it is priced by them, whatever the publisher asks for then. */
export function withFirmPrices(proposal: DatedProposal, { products, principalId }: TermsContext): DatedProposal {
  const prices = proposal.allocations.flatMap(({ product_id: id, pricing_option_id }) => {
    const product = products.get(id)
    const option = product && pricingOption(product, pricing_option_id, principalId)
    return option ? [[id, option] as const] : []
  })
  return { ...proposal, ext: { ...proposal.ext, firm_prices: Object.fromEntries(prices) } }
}

/** The products with the prices that are firm of a committed proposal, which this program wrote. */
export function atFirmPrices(
  products: ReadonlyMap<string, Product>,
  proposal: Proposal | undefined,
): ReadonlyMap<string, Product> {
  const prices = proposal?.proposal_status === 'committed' ? firmPricesOf(proposal) : undefined
  if (!prices) return products
  const agreed = new Map(products)
  for (const [id, price] of Object.entries(prices)) {
    const product = agreed.get(id)
    if (!product) continue
    const others = product.offer.pricing_options.filter(({ pricing_option_id }) => pricing_option_id !== price.pricing_option_id)
    agreed.set(id, { ...product, offer: { ...product.offer, pricing_options: [...others, price] } })
  }
  return agreed
}

function firmPricesOf({ ext }: Proposal): Readonly<Record<string, PricingOption>> | undefined {
  return ext && Reflect.get(ext, 'firm_prices')
}

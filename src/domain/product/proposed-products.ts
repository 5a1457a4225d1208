import { pricingOption, withOption } from './negotiated-price.ts'
import type { Product } from './product.ts'
import type { ProductsById } from './product-list.ts'
import type { Proposal } from './proposal.ts'

/** The products of proposals, each once, in their order; with the prices that the proposals name, lowered ones among them. */
export function proposedProducts(
  proposals: readonly Proposal[],
  offered: ProductsById,
  buyer: string | undefined,
): readonly Product[] {
  const found = new Map<string, Product>()
  for (const { product_id, pricing_option_id } of proposals.flatMap(({ allocations }) => allocations)) {
    const product = found.get(product_id) ?? offered.get(product_id)
    if (!product) continue
    found.set(product_id, withOption(product, pricingOption(product, pricing_option_id, buyer)))
  }
  return [...found.values()]
}

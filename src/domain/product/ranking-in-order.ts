import type { Product } from './product.ts'
import type { ProductIndex } from './product-index.ts'
import { Ranking } from './ranking.ts'
import type { RankedProductId } from './ranking-port.ts'

/**
 * The ranking that an order of product ids comes to. Products that are not `eligible` (offered to the caller, and through the filters) stay out, whatever the
 * order says; undefined when nothing is left. A score above that of the product before counts as equal to it: the order holds.
 */
export function rankingInOrder(
  index: ProductIndex,
  order: readonly RankedProductId[],
  eligible: (product: Product) => boolean,
): Ranking | undefined {
  let least = 1
  const placed = order.flatMap(({ productId, score }, rank) => {
    const position = index.positions.get(productId)
    const product = position === undefined ? undefined : index.products[position]
    if (position === undefined || !product || !eligible(product)) return []
    least = Math.min(least, score ?? (order.length - rank) / order.length)
    // A place further down is less, by too little to change a share: equals would come in the publisher's order.
    return [{ position, score: least + (order.length - rank) * 1e-9 }]
  })
  if (placed.length === 0) return undefined
  placed.sort((a, b) => a.position - b.position)
  return new Ranking(
    index,
    placed.map(({ position }) => position),
    placed.map(({ score }) => score),
  )
}

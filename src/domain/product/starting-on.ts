import type { Product } from './product.ts'
import type { OfferedProducts } from './product-list.ts'
import { mayStart, startDaysOf } from './season.ts'

/** A product at the prices of flights that start on a day. */
export function atStart(product: Product, day: string): Product {
  const { offer, selling } = product
  if (!selling.seasons) return product
  const options = offer.pricing_options.filter((option) => mayStart(startDaysOf(option), day))
  return { ...product, offer: { ...offer, pricing_options: options } }
}

/** Products at the prices of flights that start on a day. */
export function startingOn(offered: OfferedProducts, day: string): OfferedProducts {
  return {
    get(id) {
      const product = offered.get(id)
      return product && atStart(product, day)
    },
    *values() {
      for (const product of offered.values()) yield atStart(product, day)
    },
  }
}

import { canonicalPricing } from '../../domain/product/canonical-pricing.ts'
import { pricingOption } from '../../domain/product/negotiated-price.ts'
import type { Product } from '../../domain/product/product.ts'
import { AdcpError, Faults } from '../../protocol/errors.ts'
import { isSame } from './same-json.ts'

/** What a purchase or a control of a package may hold that an order has no place for. */
export interface Wanted {
  readonly catalog_ids?: readonly string[]
}

/** What a buyer says of one purchase that the order has no place for (AdCP 3.2 media-buy/product-purchase-input.json). */
export interface WantedPurchase extends Wanted {
  readonly product_id: string
  readonly pricing_option_id: string
  readonly pricing?: Readonly<Record<string, unknown>>
  readonly [member: string]: unknown
}

/** Throws for prices that are not those of the offers, and for catalogs by id, which orders here bring with their type. */
export function requireBuyable(
  purchases: readonly WantedPurchase[],
  products: ReadonlyMap<string, Product>,
  buyer: string,
): void {
  const faults = new Faults()
  for (const [index, purchase] of purchases.entries()) {
    const path = `purchases[${index}]`
    faults.attempt(() => requireKept(purchase, path))
    const product = products.get(purchase.product_id)
    const option = product && pricingOption(product, purchase.pricing_option_id, buyer)
    if (!option) continue
    faults.attempt(() => requireSamePrice(purchase, canonicalPricing(option), path))
  }
  faults.settle()
}

/** Throws UNSUPPORTED_FEATURE for catalogs by id: orders here have them with their type. */
export function requireKept({ catalog_ids: ids }: Wanted, path: string): void {
  if (ids === undefined) return
  const field = `${path}.catalog_ids`
  throw new AdcpError(
    'UNSUPPORTED_FEATURE',
    `${field} is not carried out here: leave it out, or name catalogs with create_media_buy or update_media_buy (packages[].catalogs)`,
    {
      field,
    },
  )
}

function requireSamePrice({ pricing }: WantedPurchase, offered: Readonly<Record<string, unknown>>, path: string): void {
  const wrong = Object.entries(pricing ?? {}).find(([name, value]) => !isSame(value, offered[name]))
  if (!wrong) return
  const field = `${path}.pricing.${wrong[0]}`
  throw new AdcpError(
    'INVALID_REQUEST',
    `${field} is not that of the offer; leave pricing out, or send it as list_products shows it`,
    {
      field,
    },
  )
}

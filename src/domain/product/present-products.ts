import type { GetProductsRequest } from '@adcp/sdk/types'
import type { Declare } from '../creative/canonical/declaration.ts'
import type { Brief } from './brief.ts'
import type { Offer, Product } from './product.ts'
import type { CatalogueIndex } from './product-index.ts'
import { relevanceOf } from './relevance.ts'

export interface PresentOptions {
  /** What the caller asked with, in mode `brief`. */
  readonly brief: Brief | undefined
  readonly index: CatalogueIndex
  /** Whether the caller may know prices. */
  readonly prices: boolean
  /** Declares the formats of this agent to buyers of later releases. */
  readonly declare: Declare
}

/**
 * A product with the fields asked for, and why it answers the brief, if there is one. The formats are there twice: buyers of 3.0 read `format_ids`,
 * and the clients of later releases drop a product without `format_options`.
 */
export function presentProduct(product: Product, fields: GetProductsRequest['fields'], options: PresentOptions): Offer {
  const { brief, index, prices, declare } = options
  const asked = fields ? only(product.offer, fields) : product.offer
  const format_options = product.offer.format_ids.flatMap((format) => declare(format) ?? [])
  const shown = format_options.length > 0 ? { ...asked, format_options } : asked
  if (!brief || (fields && !fields.includes('brief_relevance'))) return shown
  return { ...shown, brief_relevance: relevanceOf(product, brief, { index, prices }) }
}

/**
 * The fields that the response schema requires of every product, and those asked for. Built up, not cut down: an object that lost
 * members is slow to check and to write from then on.
 */
function only(offer: Offer, fields: readonly string[]): Offer {
  const { product_id, name, description, publisher_properties, format_ids, delivery_type, pricing_options, ...rest } = offer
  const required = { product_id, name, description, publisher_properties, format_ids, delivery_type, pricing_options }
  const { reporting_capabilities, ...optional } = rest
  const asked = Object.entries(optional).filter(([field]) => fields.includes(field))
  return Object.assign({ ...required, reporting_capabilities }, Object.fromEntries(asked))
}

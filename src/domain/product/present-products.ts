import type { GetProductsRequest } from '@adcp/sdk/types'
import type { Brief } from './brief.ts'
import type { Offer, Product } from './product.ts'
import type { CatalogueIndex } from './rank-products.ts'
import { relevanceOf } from './relevance.ts'

/** Fields that every product carries whatever `fields` asks for: the schema of the response requires them. */
const REQUIRED: ReadonlySet<string> = new Set([
  'product_id',
  'name',
  'description',
  'publisher_properties',
  'format_ids',
  'delivery_type',
  'pricing_options',
  'reporting_capabilities',
])

export interface PresentOptions {
  /** What the caller asked with, in mode `brief`. */
  readonly brief: Brief | undefined
  readonly index: CatalogueIndex
  /** Whether the caller may know prices. */
  readonly prices: boolean
}

/** A product with the fields asked for, and why it answers the brief, if there is one. */
export function presentProduct(product: Product, fields: GetProductsRequest['fields'], options: PresentOptions): Offer {
  const { brief, index, prices } = options
  const shown = fields ? only(product.offer, fields) : product.offer
  if (!brief || (fields && !fields.includes('brief_relevance'))) return shown
  return { ...shown, brief_relevance: relevanceOf(product, brief, { index, prices }) }
}

function only(offer: Offer, fields: readonly string[]): Offer {
  const kept = { ...offer }
  for (const name of Object.keys(kept)) if (!REQUIRED.has(name) && !fields.includes(name)) Reflect.deleteProperty(kept, name)
  return kept
}

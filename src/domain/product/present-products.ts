import type { GetProductsRequest } from '@adcp/sdk/types'
import { hintsOf } from './brief-hints.ts'
import type { Offer, Product } from './product.ts'
import { publicView } from './public-view.ts'
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
  /** Whether the caller proved who it is; anybody else gets the limited view. */
  readonly authenticated: boolean
  readonly isStandardFormat: (format: Offer['format_ids'][number]) => boolean
}

/** A product as the caller may see it; undefined when nothing of it can be shown. Adds why it answers the brief, if there is one. */
export function presentProduct(product: Product, request: GetProductsRequest, options: PresentOptions): Offer | undefined {
  const { authenticated, isStandardFormat } = options
  const offer = authenticated ? product.offer : publicView(product.offer, isStandardFormat)
  if (!offer) return undefined
  const reason =
    request.buying_mode === 'brief' &&
    request.brief !== undefined &&
    (!request.fields || request.fields.includes('brief_relevance'))
      ? relevanceOf(product, request.brief, { hints: hintsOf(request.brief), prices: authenticated })
      : undefined
  return { ...(request.fields ? only(offer, request.fields) : offer), ...(reason !== undefined && { brief_relevance: reason }) }
}

function only(offer: Offer, fields: readonly string[]): Offer {
  const kept = { ...offer }
  for (const name of Object.keys(kept)) if (!REQUIRED.has(name) && !fields.includes(name)) Reflect.deleteProperty(kept, name)
  return kept
}

import { cleanedText } from '../fit-text.ts'
import { defaultReporting } from '../product/product-defaults.ts'
import type { ProductDocument } from '../product/products-file.ts'

/** Kinds of formats that a draft can have in each of its sizes, by the end of the format's id. */
const FORMAT_ENDS = { image: '', html5: '_html5', tag: '_tag' } as const

export type DraftFormat = keyof typeof FORMAT_ENDS

export const DRAFT_FORMATS = ['image', 'html5', 'tag'] as const satisfies readonly DraftFormat[]

/** What a draft of a display product says. */
export interface DraftTerms {
  readonly productId: string
  readonly name: string
  readonly description: string
  /** Domain of the publisher. */
  readonly domain: string
  /** `width x height` in pixels, those that there are formats for. */
  readonly sizes: readonly string[]
  readonly formats: readonly DraftFormat[]
  readonly deliveryType: ProductDocument['delivery_type']
  /** ISO 4217. */
  readonly currency: string
  /** Price of a thousand impressions, in units of the currency. */
  readonly cpm: number
  readonly dailyCapacity: number
  readonly status: 'active' | 'paused'
}

/** A display product that is sold by the thousand, as imports have it. Its texts may be an ad server's. */
export function draftProduct(terms: DraftTerms): ProductDocument {
  const { productId, name, description, domain, sizes, formats, deliveryType, currency, cpm, dailyCapacity, status } = terms
  return {
    product_id: productId,
    name: cleanedText(name),
    description: cleanedText(description),
    publisher_properties: [{ publisher_domain: domain, selection_type: 'all' }],
    format_ids: sizes.flatMap((size) => formats.map((format) => `display_${size}${FORMAT_ENDS[format]}`)),
    delivery_type: deliveryType,
    channels: ['display'],
    pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm', currency, fixed_price: cpm }],
    reporting_capabilities: defaultReporting,
    selling: { status, daily_capacity: dailyCapacity },
  }
}

import type { ConversationOffering, OfferedProduct } from '../brand/brands-file.ts'
import type { StandardComponent } from '../brand/conversation.ts'
import { readPart, termsOf } from '../product/brief-terms.ts'

/** Why an offering cannot be had now; undefined while it can. */
export function unavailableReason({ expires_at, sold_out }: ConversationOffering, now: Date): 'expired' | 'sold_out' | undefined {
  if (expires_at !== undefined && Date.parse(expires_at) <= now.getTime()) return 'expired'
  return sold_out ? 'sold_out' : undefined
}

/** An offering as a host shows it. */
type ShownOffering = Pick<
  ConversationOffering,
  'offering_id' | 'summary' | 'tagline' | 'expires_at' | 'price_hint' | 'image_url' | 'landing_url'
>
type ShownProduct = Omit<OfferedProduct, 'description' | 'keywords'>

/** A piece of a conversation that a host shows. */
interface Element {
  type: StandardComponent
  data: object
}

/** Details of an offering (AdCP si_get_offering). */
export function presentOffering(offering: ConversationOffering): ShownOffering {
  const { offering_id, summary, tagline, expires_at, price_hint, image_url, landing_url } = offering
  return {
    offering_id,
    summary,
    ...(tagline !== undefined && { tagline }),
    ...(expires_at !== undefined && { expires_at }),
    ...(price_hint !== undefined && { price_hint }),
    ...(image_url !== undefined && { image_url }),
    ...(landing_url !== undefined && { landing_url }),
  }
}

/**
 * Products that an intent names, best first; all of them, in their order, when it names none: what is on offer is the answer then.
 */
export function matchProducts(products: readonly OfferedProduct[], text: string | undefined): readonly OfferedProduct[] {
  const terms = termsOf(readPart(text ?? ''))
  const scored = products.map((product) => {
    const own = new Set(termsOf([product.name, product.description, ...(product.keywords ?? [])].join(' ')))
    return { product, score: terms.filter((term) => own.has(term)).length }
  })
  const matching = scored.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score)
  return (matching.length > 0 ? matching : scored).map(({ product }) => product)
}

/** The offering that an intent is nearest to; the first when it names none. Only what can be had counts. */
export function chooseOffering(
  offerings: readonly ConversationOffering[],
  brandNames: (brandId: string) => string,
  intent: string,
  now: Date,
): ConversationOffering | undefined {
  const terms = termsOf(readPart(intent))
  const open = offerings.filter((offering) => unavailableReason(offering, now) === undefined)
  const scored = open.map((offering) => {
    const { brand_id, summary, tagline, products = [] } = offering
    const words = [brandNames(brand_id), summary, tagline, ...products.flatMap(({ name, keywords = [] }) => [name, ...keywords])]
    const own = new Set(termsOf(words.join(' ')))
    return { offering, score: terms.filter((term) => own.has(term)).length }
  })
  return scored.toSorted((a, b) => b.score - a.score)[0]?.offering
}

/** A product as get-offering lists it. */
export function presentProduct(product: OfferedProduct): ShownProduct {
  const { description: _description, keywords: _keywords, ...shown } = product
  return shown
}

/** A product as a card (AdCP si-ui-element.json); one without a price is a link, and one without an address is a text. */
export function productElement(product: OfferedProduct, components: readonly string[]): Element | undefined {
  const { name, price, image_url, description, url, product_id, availability_summary: badge } = product
  if (price !== undefined && components.includes('product_card')) {
    const data = {
      title: name,
      price,
      ...(image_url !== undefined && { image_url }),
      ...(description !== undefined && { description }),
      ...(badge !== undefined && { badge }),
      cta: { label: 'Choose', action: `choose:${product_id}` },
    }
    return { type: 'product_card', data }
  }
  if (url !== undefined && components.includes('link')) return { type: 'link', data: { url, label: name } }
  return components.includes('text') ? { type: 'text', data: { message: name } } : undefined
}

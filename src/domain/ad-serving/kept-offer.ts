import { supportedDimensions } from '../media-buy/targeting-dimensions.ts'
import type { Offer, Product } from '../product/product.ts'
import type { BackendCapabilities } from './capabilities.ts'

/** What of an offer depends on the ad server that serves it. */
export type Keeps = Pick<BackendCapabilities, 'pricing' | 'targeting'>

/** An ad server of a publisher. */
export interface ServingAdServer {
  /** Ids of the products that it alone serves; absent: all others. */
  readonly products?: readonly string[]
  /** Absent where the ad server does not declare what it can keep; each order is put to it then. */
  readonly capabilities?: Keeps
}

/** Finds what the ad server of a product can keep; undefined: everything that the product offers. */
export function keepsReader(servers: readonly ServingAdServer[]): (productId: string) => Keeps | undefined {
  const main = servers.find(({ products }) => products === undefined)
  const own = new Map(servers.flatMap(({ products = [], capabilities }) => products.map((id) => [id, capabilities] as const)))
  return (productId) => (own.has(productId) ? own.get(productId) : main?.capabilities)
}

/** The offer with the prices that its ad server can keep; undefined when there is none: the product cannot be bought. */
export function keptOffer(offer: Offer, keeps: Keeps | undefined): Offer | undefined {
  if (!keeps) return offer
  const kept = offer.pricing_options.filter(({ pricing_model: model }) => keeps.pricing.includes(model))
  if (kept.length === offer.pricing_options.length) return offer
  const [first, ...others] = kept
  return first && { ...offer, pricing_options: [first, ...others] }
}

/** What the products on sale can be bought by. */
export interface KeptTerms {
  readonly pricing: readonly string[]
  /** Dimensions of core/targeting.json. */
  readonly targeting: ReadonlySet<string>
  /** Systems of metro areas and postal codes, as `metro:nielsen_dma`. */
  readonly geo: ReadonlySet<string>
}

/** Prices and targeting that at least one product on sale offers and its ad server keeps. Linear in the products. */
export function keptTerms(products: readonly Product[], keepsOf: (productId: string) => Keeps | undefined): KeptTerms {
  const [pricing, targeting, geo] = [new Set<string>(), new Set<string>(), new Set<string>()]
  for (const product of products) {
    if (product.selling.status !== 'active') continue
    const keeps = keepsOf(product.id)
    const offer = keptOffer(product.offer, keeps)
    if (!offer) continue
    for (const { pricing_model: model } of offer.pricing_options) pricing.add(model)
    const kept: ReadonlySet<string> | undefined = keeps && new Set(keeps.targeting)
    for (const dimension of supportedDimensions(product)) if (kept?.has(dimension) ?? true) targeting.add(dimension)
    for (const level of product.selling.targeting.geo) geo.add(level)
  }
  return { pricing: [...pricing].sort(), targeting, geo }
}

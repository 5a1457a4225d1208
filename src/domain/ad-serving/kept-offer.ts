import type { FormatKey } from '../creative/formats/format-id.ts'
import type { Offer } from '../product/offer.ts'
import type { Product } from '../product/product.ts'
import { supportedDimensions } from '../product/targeting-dimensions.ts'
import { type BackendCapabilities, modelThere } from './capabilities.ts'

/** What of an offer depends on the ad server that serves it. */
export type Keeps = Pick<BackendCapabilities, 'pricing' | 'targeting' | 'formats' | 'channels' | 'inventory' | 'countsByCreative'>

/** An ad server of a publisher. */
export interface ServingAdServer {
  /** Ids of the products that it alone serves; absent: all others. */
  readonly products?: readonly string[]
  /** Absent where the ad server does not declare what it can keep; each order is put to it then. */
  readonly capabilities?: Keeps
}

/** The kind of a format (AdCP 3.1 core/canonical-format-kind.json); undefined for formats of other agents. */
export type KindOf = (format: FormatKey) => string | undefined

/** Finds what the ad server of a product can keep; undefined: everything that the product offers. */
export function keepsReader(servers: readonly ServingAdServer[]): (productId: string) => Keeps | undefined {
  const main = servers.find(({ products }) => products === undefined)
  const own = new Map(servers.flatMap(({ products = [], capabilities }) => products.map((id) => [id, capabilities] as const)))
  return (productId) => (own.has(productId) ? own.get(productId) : main?.capabilities)
}

/**
 * Whether an ad server serves creatives of a kind. A kind that is not known, of another agent or of the publisher's own making, is judged by each creative
 * when it is booked.
 */
export function servesKind({ formats }: Pick<Keeps, 'formats'>, kind: string | undefined): boolean {
  const known: readonly string[] | undefined = formats
  return known === undefined || kind === undefined || kind === 'custom' || known.includes(kind)
}

/** What is left of an offer at its ad server, or why nothing is. */
export type KeptOffer =
  | { readonly offer: Offer; readonly reason?: undefined }
  | { readonly offer?: undefined; readonly reason: string }

/** The channels, formats and prices of an offer that its ad server can keep. The same offer when those are all; a reason where none is left: the product cannot be bought. */
export function keptOffer(offer: Offer, keeps: Keeps, kindOf: KindOf): KeptOffer {
  if (keeps.inventory?.includes(offer.product_id) === false)
    return { reason: 'its ad server has no inventory for it; name the places there that it is' }
  const inChannels = withChannels(offer, keeps)
  if (inChannels.offer === undefined) return inChannels
  const inFormats = withFormats(inChannels.offer, keeps, kindOf)
  return inFormats.offer === undefined ? inFormats : withPrices(inFormats.offer, keeps)
}

function withChannels(offer: Offer, { channels }: Keeps): KeptOffer {
  const { channels: offered = [] } = offer
  if (!channels || offered.length === 0) return { offer }
  const kept = offered.filter((channel) => channels.includes(channel))
  if (kept.length === 0) return none('channel', offered, channels)
  return { offer: kept.length === offered.length ? offer : { ...offer, channels: kept } }
}

function withFormats(offer: Offer, keeps: Keeps, kindOf: KindOf): KeptOffer {
  const { formats } = keeps
  if (!formats) return { offer }
  const isServed = (format: FormatKey) => servesKind(keeps, kindOf(format))
  const { format_ids: ids, format_options: options, placements } = offer
  const keptIds = ids.filter(isServed)
  const keptOptions = options?.filter(({ format_kind: kind }) => servesKind(keeps, kind))
  const isWhole = keptIds.length === ids.length && keptOptions?.length === options?.length
  if (isWhole) return { offer }
  if ((ids.length > 0 && keptIds.length === 0) || keptOptions?.length === 0)
    return none('format', [...new Set([...ids.map(({ id }) => id), ...(options ?? []).map((each) => each.format_kind)])], formats)
  const keptPlacements = placements?.flatMap(({ format_ids, ...placement }) => {
    const left = format_ids?.filter(isServed)
    if (format_ids && format_ids.length > 0 && left?.length === 0) return []
    return [{ ...placement, ...(left && { format_ids: left }) }]
  })
  const { placements: _placements, ...others } = offer
  return {
    offer: {
      ...others,
      format_ids: keptIds,
      ...(keptOptions && { format_options: keptOptions }),
      ...(keptPlacements && keptPlacements.length > 0 && { placements: keptPlacements }),
    },
  }
}

function withPrices(offer: Offer, { pricing }: Keeps): KeptOffer {
  const { pricing_options: options } = offer
  const kept = options.filter(({ pricing_model: model }) => pricing.includes(modelThere(model)))
  if (kept.length === options.length) return { offer }
  const [first, ...others] = kept
  if (!first) return none('price', [...new Set(options.map(({ pricing_model: model }) => model))], pricing)
  return { offer: { ...offer, pricing_options: [first, ...others] } }
}

function none(what: string, offered: readonly string[], kept: readonly string[]): KeptOffer {
  return { reason: `its ad server serves no ${what} of it (${offered.join(', ')}); it serves ${kept.join(', ') || 'none'}` }
}

/** A product as its ad server can serve it: the same when that is all of it, and not on sale, with the reason, when nothing is left. */
export function keptProduct(product: Product, keeps: Keeps | undefined, kindOf: KindOf): Product {
  if (!keeps) return product
  const { offer, reason } = keptOffer(product.offer, keeps, kindOf)
  if (offer) return offer === product.offer ? product : { ...product, offer }
  if (product.selling.status !== 'active') return product
  return { ...product, selling: { ...product.selling, status: 'paused', unserved: reason } }
}

/** What the products on sale can be bought by. */
export interface KeptTerms {
  readonly pricing: readonly string[]
  /** Dimensions of core/targeting.json. */
  readonly targeting: ReadonlySet<string>
  /** Systems of metro areas and postal codes, as `metro:nielsen_dma`. */
  readonly geo: ReadonlySet<string>
}

/** Prices and targeting that at least one product on sale offers and its ad server keeps. `products`: as their ad servers can serve them. Linear in them. */
export function keptTerms(products: readonly Product[], keepsOf: (productId: string) => Keeps | undefined): KeptTerms {
  const [pricing, targeting, geo] = [new Set<string>(), new Set<string>(), new Set<string>()]
  for (const product of products) {
    if (product.selling.status !== 'active') continue
    const keeps = keepsOf(product.id)
    for (const { pricing_model: model } of product.offer.pricing_options) pricing.add(model)
    const kept: ReadonlySet<string> | undefined = keeps && new Set(keeps.targeting)
    for (const dimension of supportedDimensions(product)) if (kept?.has(dimension) ?? true) targeting.add(dimension)
    for (const level of product.selling.targeting.geo) geo.add(level)
  }
  return { pricing: [...pricing].sort(), targeting, geo }
}

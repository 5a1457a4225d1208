import type { Flight } from '../calendar/flight.ts'
import type { Declare } from '../creative/canonical/declaration.ts'
import { statedPolicy } from '../media-buy/cancellation-policy.ts'
import { withAccepted } from '../media-buy/commercial-terms.ts'
import { planMediaBuy } from '../media-buy/create.ts'
import { creativeDeadline } from '../media-buy/creative-deadline.ts'
import type { Package } from '../media-buy/media-buy.ts'
import { publisherClock, withOpenWeek } from '../media-buy/open-hours.ts'
import type { ProposedPackage } from '../media-buy/order-request.ts'
import { allocatedPackages, pricedOn } from '../media-buy/proposal.ts'
import { microsToAmount } from '../money.ts'
import { hardOverlay } from '../product/hard-targeting.ts'
import { pricingOption } from '../product/negotiated-price.ts'
import type { KeepsTargeting } from '../product/overlay-support.ts'
import type { Product } from '../product/product.ts'
import type { Proposal } from '../product/proposal.ts'
import type { TargetingOverlay } from '../product/targeting-overlay.ts'
import type { Negotiated, ProposedOrder } from './negotiated.ts'

export interface TermsContext {
  /** Every product that can be bought, by id. */
  readonly products: ReadonlyMap<string, Product>
  readonly declare: Declare
  /** What the ad servers of the products keep of their targeting. */
  readonly keepsOf: KeepsTargeting
  readonly principalId: string
  readonly now: Date
  /** IANA, of the publisher: dayparts are hours of it. */
  readonly timeZone: string
}

/** What terms are made of, beside shares and prices of a proposal. */
export interface TermsFrame extends Pick<Negotiated, 'parentId' | 'question' | 'opportunityId' | 'simulated'> {
  readonly brand: ProposedOrder['brand']
  readonly industry?: ProposedOrder['advertiser_industry']
  readonly flight: Flight
  /** Major units. */
  readonly total: { readonly amount: number; readonly currency: string }
}

/**
 * The terms of a proposal over a flight for a budget: those of the order that it stands for, planned by every rule of create_media_buy. Throws what such an order
 * would be refused for.
 */
export function planTerms(proposal: Pick<Proposal, 'allocations' | 'ext'>, frame: TermsFrame, context: TermsContext): Negotiated {
  const { products, principalId } = context
  const { targeting_overlay: asked, brief_targeting: hard = {} } = frame.question
  // Places that the request itself names win over those that are read from its words.
  const placed = Object.keys(asked ?? {}).some((name) => name.startsWith('geo_'))
  const read = (overlay: TargetingOverlay = {}) => {
    const { geo_countries: _in, geo_countries_exclude: _out, ...others } = overlay
    return placed ? others : overlay
  }
  const pricing = { products, principalId, flight: { ...frame.flight, timeZone: context.timeZone } }
  const allocated = allocatedPackages(pricedOn(proposal, pricing), frame.total, pricing).map((pkg) => {
    const overlay = { ...read(hardOverlay(products.get(pkg.product_id), hard)), ...asked, ...read(pkg.targeting_overlay) }
    return Object.keys(overlay).length > 0 ? { ...pkg, targeting_overlay: overlay } : pkg
  })
  const asOrdered: ProposedOrder = {
    brand: frame.brand,
    ...(frame.industry !== undefined && { advertiser_industry: frame.industry }),
    packages: allocated,
    start_time: frame.flight.startsAt,
    end_time: frame.flight.endsAt,
  }
  const planned = planMediaBuy(asOrdered, { ...context, mediaBuyId: '', accountId: '', actor: '', proposal: undefined })
  const packages = allocated.map((pkg, index) => withBid(pkg, planned.packages[index]))
  const order = { ...asOrdered, packages }
  const { accepted } = withAccepted(planned, {
    proposalId: '',
    name: '',
    asked: packages.map((pkg) => ({ ...pkg })),
    products,
    principalId,
  })
  if (!accepted) throw new Error('an order was planned without terms')
  const { parentId, question, opportunityId, simulated } = frame
  const clock = publisherClock(context.timeZone)
  return {
    ...(parentId !== undefined && { parentId }),
    terms: accepted.terms,
    digest: accepted.digest,
    order,
    prices: packages.flatMap(({ product_id, pricing_option_id: id }) => {
      const product = products.get(product_id)
      return (product && pricingOption(product, id, principalId)) ?? []
    }),
    holdings: planned.packages.flatMap((pkg) => {
      const { productId, reservedImpressions, terms, openWeek } = withOpenWeek(pkg, clock)
      const held = { productId, reservedImpressions, terms: { startsAt: terms.startsAt, endsAt: terms.endsAt } }
      return reservedImpressions > 0 ? [openWeek === undefined ? held : { ...held, openWeek }] : []
    }),
    latest: [planned.startsAt, ...planned.packages.flatMap((pkg) => creativeDeadline(pkg) ?? [])].sort()[0] ?? planned.startsAt,
    question,
    ...(opportunityId !== undefined && { opportunityId }),
    simulated,
  }
}

/** A package of terms says the bid that is placed for it in an auction. */
function withBid(pkg: ProposedPackage, planned: Package | undefined): ProposedPackage {
  const { pricing, terms } = planned ?? {}
  if (!pricing || pricing.fixedMicros !== undefined || terms?.bidMicros === undefined) return pkg
  const amount = microsToAmount(terms.bidMicros)
  return { ...pkg, bidding: pricing.maxBid ? { max_bid: amount } : { bid_amount: amount } }
}

/** How long before a flight creatives of these products are due at most, in ms. */
export function longestLead(ids: readonly string[], products: ReadonlyMap<string, Product>): number {
  return Math.max(0, ...ids.map((id) => (products.get(id)?.selling.creativeLeadHours ?? 0) * 3_600_000))
}

/** The products with the prices and the cancellation terms that a proposal agreed, whatever the publisher asks for today. */
export function withAgreedPrices(
  products: ReadonlyMap<string, Product>,
  { order, prices, terms }: Negotiated,
): ReadonlyMap<string, Product> {
  const agreed = new Map(products)
  for (const [index, { product_id: id }] of order.packages.entries()) {
    const [product, price] = [agreed.get(id), prices[index]]
    if (!product || !price) continue
    const others = product.offer.pricing_options.filter((option) => option.pricing_option_id !== price.pricing_option_id)
    const { cancellation_policy: _today, ...offer } = product.offer
    const purchase = terms.purchases[index]
    const policy = statedPolicy(purchase?.ext)
    const offered = { ...offer, pricing_options: [...others, price], ...(policy && { cancellation_policy: policy }) }
    agreed.set(id, { ...product, offer: offered })
  }
  return agreed
}

import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { microsToAmount } from '../money.ts'
import { type CanonicalPricing, canonicalPricing } from '../product/canonical-pricing.ts'
import { measurementOf, vendorOf } from '../product/canonical-product.ts'
import { pricingOption } from '../product/negotiated-price.ts'
import { picked } from '../product/picked.ts'
import type { Product } from '../product/product.ts'
import { withPolicy } from './cancellation-policy.ts'
import type { MediaBuy, Package } from './media-buy.ts'
import { presentOwnCap, presentSharedCap } from './present-cap.ts'

/** What is bought of one product, in full (AdCP 3.2 media-buy/product-purchase.json). Budgets are major units of the price's currency. */
export interface Purchase {
  readonly product_id: string
  readonly pricing_option_id: string
  readonly pricing: CanonicalPricing
  readonly start_time: string
  readonly end_time: string
  readonly budget?: number
  readonly [member: string]: unknown
}

/** The commercial envelope that a digest stands for (AdCP 3.2 media-buy/commercial-terms.json). */
export interface CommercialTerms {
  readonly source_feed_version?: string
  readonly brand: { readonly domain: string }
  readonly purchases: readonly Purchase[]
  readonly start_time: string
  readonly end_time: string
  readonly total_budget?: { readonly amount: number; readonly currency: string }
  readonly [member: string]: unknown
}

/** The terms that a media buy was made on, as they were accepted. */
export interface Accepted {
  readonly proposalId: string
  readonly parentId?: string
  readonly name: string
  readonly acceptedAt: string
  readonly terms: CommercialTerms
  /** `sha256:` and the base64url SHA-256 of the RFC 8785 form of `terms`. */
  readonly digest: string
}

/** The digest of terms (core/canonical-proposal.json, `terms_digest`). */
export function termsDigest(terms: CommercialTerms): string {
  return `sha256:${hash('sha256', canonicalize(terms) ?? '', 'base64url')}`
}

/** What a buyer asked of each purchase, beside what the order has of it; in the order of the packages. */
export type Asked = Readonly<Record<string, unknown>>

export interface Source {
  readonly proposalId: string
  readonly parentId?: string
  readonly name: string
  /** The version of the offers that are accepted. */
  readonly feedVersion?: string
  readonly asked: readonly Asked[]
  readonly products: ReadonlyMap<string, Product>
  readonly principalId: string
}

/** Members of a purchase that are kept as the buyer wrote them. */
const OWN_MEMBERS = ['format_option_refs', 'catalog_ids', 'bidding', 'optimization_goals', 'agency_estimate_number', 'context']

/** The planned buy with the terms that it is accepted on. */
export function withAccepted(buy: MediaBuy, source: Source): MediaBuy {
  const { proposalId, parentId, name } = source
  const terms: CommercialTerms = {
    ...(source.feedVersion !== undefined && { source_feed_version: source.feedVersion }),
    brand: { domain: buy.brand.domain, ...picked(buy.brand, ['brand_id', 'countries']) },
    ...(buy.advertiserIndustry !== undefined && { advertiser_industry: buy.advertiserIndustry }),
    ...presentSharedCap(buy),
    ...(buy.bidding && { bidding: buy.bidding }),
    purchases: buy.packages.map((pkg, index) => purchaseOf(pkg, source.asked[index] ?? {}, source)),
    start_time: buy.startsAt,
    end_time: buy.endsAt,
    total_budget: {
      amount: microsToAmount(buy.packages.reduce((micros, pkg) => micros + pkg.terms.budgetMicros, 0)),
      currency: buy.currency,
    },
    ...(buy.invoiceRecipient && { invoice_recipient: buy.invoiceRecipient }),
    ...(buy.poNumber !== undefined && { purchase_order_ref: buy.poNumber }),
    ...(buy.agencyEstimateNumber !== undefined && { agency_estimate_number: buy.agencyEstimateNumber }),
  }
  const common = { proposalId, ...(parentId !== undefined && { parentId }), name, acceptedAt: buy.createdAt }
  return { ...buy, accepted: { ...common, terms, digest: termsDigest(terms) } }
}

/** A buy whose flight was moved before it was booked, with its terms at the moment of booking. */
export function acceptedAt(buy: MediaBuy, now: Date): MediaBuy {
  const { accepted } = buy
  if (!accepted) return buy
  const purchases = accepted.terms.purchases.map((purchase, index) => {
    const terms = buy.packages[index]?.terms
    return terms ? { ...purchase, start_time: terms.startsAt, end_time: terms.endsAt } : purchase
  })
  const terms = { ...accepted.terms, purchases, start_time: buy.startsAt, end_time: buy.endsAt }
  return { ...buy, accepted: { ...accepted, terms, digest: termsDigest(terms), acceptedAt: now.toISOString() } }
}

function purchaseOf(pkg: Package, asked: Asked, { products, principalId }: Source): Purchase {
  const { terms, pricing } = pkg
  const product = products.get(pkg.productId)
  const option = product && pricingOption(product, pricing.pricingOptionId, principalId)
  if (!option) throw new Error(`the price of ${pkg.packageId} is gone`)
  const standards = pkg.performanceStandards ?? []
  const targeting = withoutSuppressed(asked.targeting_overlay)
  return {
    product_id: pkg.productId,
    pricing_option_id: pricing.pricingOptionId,
    pricing: canonicalPricing(option),
    budget: microsToAmount(terms.budgetMicros),
    ...presentOwnCap(terms),
    ...(terms.impressions !== undefined && { impressions: terms.impressions }),
    start_time: terms.startsAt,
    end_time: terms.endsAt,
    pacing: terms.pacing,
    ...picked(asked, OWN_MEMBERS),
    ...withPolicy(asked.ext, pkg.cancellationPolicy),
    ...(targeting && { targeting_overlay: targeting }),
    ...(pkg.measurementTerms && measurementOf({ measurement_terms: pkg.measurementTerms })),
    ...(standards.length > 0 && {
      performance_standards: standards.map((each) => ({
        ...picked(each, ['metric', 'threshold', 'standard']),
        ...vendorOf(each),
      })),
    }),
  }
}

/** Targeting in effect: a dimension that the buyer suppresses by null is left out, and so are the credentials of lists. */
function withoutSuppressed(overlay: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof overlay !== 'object' || overlay === null) return undefined
  const named = Object.entries(overlay).filter(([, value]) => value !== null)
  return named.length === 0 ? undefined : Object.fromEntries(named)
}

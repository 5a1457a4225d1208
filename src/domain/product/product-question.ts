import type { DeclaredCatalog } from '../catalog/declared-catalog.ts'
import type { HardTargeting } from './hard-targeting.ts'
import type { Offer } from './offer.ts'
import type { ProductFilters } from './product-filters.ts'
import type { Verdict } from './refine-verdict.ts'
import type { TargetingOverlay } from './targeting-overlay.ts'

/** One change that a buyer asks for: of the answer as a whole, of a product, of a proposal. */
export type RefineEntry =
  | { readonly scope: 'request'; readonly ask: string }
  | ProductEntry
  | {
      readonly scope: 'proposal'
      readonly proposal_id: string
      readonly action?: 'include' | 'omit' | 'finalize'
      readonly ask?: string
    }

export interface ProductEntry {
  readonly scope: 'product'
  readonly product_id: string
  readonly action?: 'include' | 'omit' | 'more_like_this'
  readonly ask?: string
}

/** What became of an entry. */
export type RefineOutcome = (
  | { scope: 'request' }
  | { scope: 'product'; product_id: string }
  | { scope: 'proposal'; proposal_id: string }
) & { status: Verdict['status']; notes?: string }

/**
 * What a buyer of AdCP 3.2 asks of the products beside the filters (media-buy/get-products-request.json): targeting that it will order, targeting that it
 * will choose later, and terms of the whole media buy.
 */
export interface DiscoveryTerms {
  readonly targeting_overlay?: TargetingOverlay
  readonly required_overlay_support?: Readonly<Record<string, unknown>>
  readonly required_media_buy_support?: object
  readonly media_buy_frequency_cap?: object
}

/** Those, and what the words of a brief demand. */
export interface HeldTerms extends DiscoveryTerms {
  readonly brief_targeting?: HardTargeting | undefined
}

/** What a buyer asks of the products: by a brief, all of them, or by changes of an earlier answer. */
export interface ProductQuestion extends DiscoveryTerms {
  readonly buying_mode: 'brief' | 'wholesale' | 'refine'
  readonly brief?: string
  readonly refine?: readonly RefineEntry[]
  readonly filters?: ProductFilters
  /** Policies that products have to enforce. */
  readonly required_policies?: readonly string[]
  /** The catalog that is to be promoted. */
  readonly catalog?: DeclaredCatalog
  readonly preferred_delivery_types?: readonly Offer['delivery_type'][]
}

/** What a proposal was asked by, and what is made of it is held to. */
export interface Question extends HeldTerms, Pick<ProductQuestion, 'filters' | 'required_policies'> {
  readonly product_ids?: readonly string[]
}

import type { GetBrandIdentitySuccess, GetRightsSuccess, RightUse } from '@adcp/sdk/types'

import type { BrandClaims } from './claims.ts'

/** The corporate entity that a brand belongs to. */
export type BrandHouse = GetBrandIdentitySuccess['house']

type Identity = Omit<GetBrandIdentitySuccess, 'house' | 'rights' | 'available_fields' | 'context' | 'ext' | 'logos' | 'assets'>
type Logo = NonNullable<GetBrandIdentitySuccess['logos']>[number]
type Asset = NonNullable<GetBrandIdentitySuccess['assets']>[number]

/** A brand of the import file (schemas/brands-import.json); members of the protocol mean what get-brand-identity-response.json says. */
export interface BrandDocument extends Identity {
  readonly house?: BrandHouse
  /** `linked`: high-resolution variants that only callers with an account get. */
  readonly logos?: readonly (Logo & { readonly audience?: 'public' | 'linked' })[]
  /** `uses`: what an asset is for; absent: everything. */
  readonly assets?: readonly (Asset & { readonly uses?: readonly RightUse[] })[]
}

type WireRight = GetRightsSuccess['rights'][number]
type WirePrice = WireRight['pricing_options'][number]

/** A price of a right. Only models whose cost is known before a campaign runs are offered. */
export interface RightsPrice extends Omit<WirePrice, 'model'> {
  readonly model: 'cpm' | 'flat_rate'
  /** The price includes exclusivity. */
  readonly exclusive?: boolean
}

/** A right of the import file, with the terms that decide whether a buyer gets it. */
export interface RightsOffering
  extends Omit<WireRight, 'match_score' | 'match_reasons' | 'exclusivity_status' | 'pricing_options'> {
  readonly pricing_options: readonly RightsPrice[]
  readonly clearance?: {
    /** `manual`: a person at the rights holder approves acquisitions and what extends them. */
    readonly approval?: 'automatic' | 'manual'
    /** `manual`: a person reviews the creatives that were made under the right. */
    readonly creative_review?: 'automatic' | 'manual'
    /** Industries whose brands never get the right. */
    readonly excluded_industries?: readonly string[]
    /** Domains of brands that never get the right, e.g. competitors. */
    readonly excluded_domains?: readonly string[]
    readonly restrictions?: readonly string[]
    readonly disclosure?: { readonly required: boolean; readonly text?: string }
    /** Who makes content under the right; credentials are issued for each. */
    readonly generation_providers?: readonly {
      readonly provider: string
      readonly endpoint?: string
      readonly uses?: readonly RightUse[]
    }[]
    readonly response_time?: string
  }
}

/** Something that a brand talks about in sponsored conversations. */
export interface ConversationOffering {
  readonly offering_id: string
  readonly brand_id: string
  readonly summary: string
  readonly tagline?: string
  readonly expires_at?: string
  readonly price_hint?: string
  readonly image_url?: string
  readonly landing_url?: string
  readonly sold_out?: boolean
  readonly alternative_offering_ids?: readonly string[]
  /** Where a purchase goes on; without it, conversations end with a link. */
  readonly checkout_url?: string
  readonly products?: readonly OfferedProduct[]
}

export interface OfferedProduct {
  readonly product_id: string
  readonly name: string
  readonly description?: string
  /** As shown, e.g. `$129`. */
  readonly price?: string
  readonly original_price?: string
  readonly image_url?: string
  readonly availability_summary?: string
  readonly url?: string
  readonly keywords?: readonly string[]
}

/** An import file that was found right. */
export interface BrandsFile {
  readonly version: 1
  /** House of the brands that name none. */
  readonly house: BrandHouse
  readonly brands: readonly BrandDocument[]
  readonly rights?: readonly RightsOffering[]
  readonly offerings?: readonly ConversationOffering[]
  /** Claims about the house that verify_brand_claim confirms, to any caller. */
  readonly claims?: BrandClaims
}

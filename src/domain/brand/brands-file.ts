import type { BrandClaims } from './claims.ts'
import type { BrandAsset, BrandHouse, BrandIdentity, BrandLogo } from './identity-document.ts'
import type { RightsPeriod, RightType, RightUse } from './right-use.ts'

/** A brand of the import file (schemas/brands-import.json); members of the protocol mean what get-brand-identity-response.json says. */
export interface BrandDocument extends BrandIdentity {
  readonly house?: BrandHouse
  /** `linked`: high-resolution variants that only callers with an account get. */
  readonly logos?: readonly (BrandLogo & { readonly audience?: 'public' | 'linked' })[]
  /** `uses`: what an asset is for; absent: everything. */
  readonly assets?: readonly (BrandAsset & { readonly uses?: readonly RightUse[] })[]
}

/** A price of a right. Only models whose cost is known before a campaign runs are offered. */
export interface RightsPrice {
  readonly pricing_option_id: string
  readonly model: 'cpm' | 'flat_rate'
  /** Major units of `currency`. */
  readonly price: number
  readonly currency: string
  readonly uses: RightUse[]
  readonly period?: RightsPeriod
  readonly impression_cap?: number
  readonly overage_cpm?: number
  readonly description?: string
  /** The price includes exclusivity. */
  readonly exclusive?: boolean
}

/** A right as anybody may know it. */
export interface OfferedRight {
  readonly rights_id: string
  readonly brand_id: string
  readonly name: string
  readonly description?: string
  readonly right_type?: RightType
  readonly available_uses: RightUse[]
  readonly countries?: string[]
  readonly excluded_countries?: string[]
  readonly content_restrictions?: string[]
  readonly preview_assets?: { url: string; usage?: string }[]
}

/** A right of the import file, with the terms that decide whether a buyer gets it. */
export interface RightsOffering extends OfferedRight {
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

import type { LaterFilters } from './later-filters.ts'
import type { Channel, Offer, PerformanceStandard } from './offer.ts'

/** A signal that a product has to have, and how it would be targeted. */
export type WantedSignal = {
  readonly signal_id:
    | { readonly source: 'catalog'; readonly data_provider_domain: string; readonly id: string }
    | { readonly source: 'agent' }
} & (
  | { readonly value_type: 'binary' | 'categorical' }
  | { readonly value_type: 'numeric'; readonly min_value?: number; readonly max_value?: number }
)

/** What products have to be to be found (AdCP core/product-filters.json): members whose form the schema leaves open are read with care. */
export interface ProductFilters extends LaterFilters {
  readonly delivery_type?: Offer['delivery_type']
  readonly exclusivity?: NonNullable<Offer['exclusivity']>
  readonly is_fixed_price?: boolean
  readonly pricing_currencies?: unknown
  readonly pricing_structures?: unknown
  readonly format_ids?: Offer['format_ids']
  readonly standard_formats_only?: boolean
  readonly min_exposures?: number
  /** `YYYY-MM-DD`. */
  readonly start_date?: string
  readonly end_date?: string
  readonly budget_range?: { readonly [bound: string]: unknown }
  readonly countries?: readonly string[]
  readonly regions?: readonly string[]
  readonly metros?: readonly { readonly system: string; readonly code: string }[]
  readonly postal_areas?: readonly { readonly system: string; readonly values: readonly string[] }[]
  readonly geo_proximity?: readonly { readonly [member: string]: unknown }[]
  readonly required_geo_targeting?: readonly { readonly level: string; readonly system?: string }[]
  readonly channels?: readonly Channel[]
  readonly required_axe_integrations?: readonly string[]
  readonly trusted_match?: {
    readonly providers?: readonly {
      readonly agent_url: string
      readonly context_match?: boolean
      readonly identity_match?: boolean
    }[]
    readonly response_types?: NonNullable<NonNullable<Offer['trusted_match']>['response_types']>
  }
  readonly required_features?: { readonly [feature: string]: boolean | undefined }
  readonly signal_targeting?: readonly WantedSignal[]
  readonly required_performance_standards?: readonly PerformanceStandard[]
  readonly keywords?: readonly { readonly keyword: string; readonly match_type?: string }[]
}

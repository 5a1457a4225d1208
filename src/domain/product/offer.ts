import type { CatalogType } from '../catalog/catalog-type.ts'
import type { FormatKey } from '../creative/formats/format-id.ts'
import type { ActionSource, EventType } from '../event/event-type.ts'
import type { BrandName, Duration } from '../party.ts'
import type { AllowedAction } from './allowed-action.ts'
import type { Forecast, ReachUnit } from './forecast.ts'
import type { FormatOption } from './format-option.ts'
import type { PricingOption } from './pricing-option.ts'
import type { ReportingCapabilities } from './reporting-capabilities.ts'
import type { SignalOption, SignalRules } from './signal-option.ts'

/** A medium (AdCP enums/channels.json). */
export type Channel =
  | 'display'
  | 'olv'
  | 'social'
  | 'search'
  | 'ctv'
  | 'linear_tv'
  | 'radio'
  | 'streaming_audio'
  | 'podcast'
  | 'dooh'
  | 'ooh'
  | 'print'
  | 'cinema'
  | 'email'
  | 'gaming'
  | 'retail_media'
  | 'influencer'
  | 'affiliate'
  | 'product_placement'
  | 'sponsored_intelligence'

/** A format of an agent, of a size or length where it has several. */
export type FormatRef = FormatKey

/** Properties of a publisher: all, those of a list, or those with a tag (AdCP core/publisher-property-selector.json). */
export type PropertySelector =
  | { publisher_domain: string; selection_type: 'all' }
  | { publisher_domain: string; selection_type: 'by_id'; property_ids: string[] }
  | { publisher_domain: string; selection_type: 'by_tag'; property_tags: string[] }

/** A place of a product that can be chosen by itself (AdCP core/placement.json). */
export interface Placement {
  placement_id: string
  name: string
  description?: string
  tags?: string[]
  format_ids?: FormatRef[]
}

/** What delivery is held to, and who measures it (AdCP core/performance-standard.json). */
export interface PerformanceStandard {
  metric: 'viewability' | 'ivt' | 'completion_rate' | 'brand_safety' | 'attention_score'
  threshold: number
  standard?: 'mrc' | 'groupm'
  vendor: BrandName
}

/** Who counts for the bill, and what is done about too little (AdCP core/measurement-terms.json). */
export interface MeasurementTerms {
  billing_measurement?: { vendor: BrandName; max_variance_percent?: number; measurement_window?: string }
  makegood_policy?: { available_remedies: ('additional_delivery' | 'credit' | 'invoice_adjustment')[] }
}

/** What the buyer owes that cancels (AdCP core/cancellation-policy.json). */
export interface CancellationPolicy {
  notice_period: Duration
  cancellation_fee: { type: 'percent_remaining' | 'full_commitment' | 'fixed_fee' | 'none'; rate?: number; amount?: number }
}

/** A seller's own measure that delivery can be optimized for. */
export type OptimizedMetric =
  | 'clicks'
  | 'views'
  | 'completed_views'
  | 'viewed_seconds'
  | 'attention_seconds'
  | 'attention_score'
  | 'engagements'
  | 'follows'
  | 'saves'
  | 'profile_visits'
  | 'reach'

/** AdCP enums/delivery-type.json. */
export const DELIVERY_TYPES = ['guaranteed', 'non_guaranteed'] as const
export type DeliveryType = (typeof DELIVERY_TYPES)[number]

/** AdCP enums/exclusivity.json. */
export const EXCLUSIVITIES = ['none', 'category', 'exclusive'] as const

/** A product as the publisher sells it (AdCP core/product.json), as far as a rule reads it. Prices in major units of the option's currency. */
export interface Offer {
  product_id: string
  name: string
  description: string
  publisher_properties: PropertySelector[]
  channels?: Channel[]
  format_ids: FormatRef[]
  /** Formats as the product itself declares them; absent: they follow from its format ids. */
  format_options?: readonly FormatOption[]
  placements?: Placement[]
  delivery_type: DeliveryType
  exclusivity?: (typeof EXCLUSIVITIES)[number]
  pricing_options: PricingOption[]
  forecast?: Forecast
  measurement_terms?: MeasurementTerms
  performance_standards?: PerformanceStandard[]
  cancellation_policy?: CancellationPolicy
  reporting_capabilities: ReportingCapabilities
  creative_policy?: {
    co_branding: 'required' | 'optional' | 'none'
    landing_page: 'any' | 'retailer_site_only' | 'must_include_retailer'
    templates_available: boolean
    provenance_required?: boolean
  }
  is_custom?: boolean
  property_targeting_allowed?: boolean
  collection_targeting_allowed?: boolean
  signal_targeting_allowed?: boolean
  signal_targeting_options?: readonly SignalOption[]
  signal_targeting_rules?: SignalRules
  data_provider_signals?: DataProviderSignals[]
  catalog_types?: CatalogType[]
  metric_optimization?: {
    supported_metrics: OptimizedMetric[]
    supported_reach_units?: ReachUnit[]
    supported_view_durations?: number[]
    supported_targets?: ('cost_per' | 'threshold_rate')[]
  }
  max_optimization_goals?: number
  conversion_tracking?: {
    action_sources?: ActionSource[]
    supported_targets?: ('cost_per' | 'per_ad_spend' | 'maximize_value')[]
    platform_managed?: boolean
  }
  measurement_readiness?: {
    status: 'insufficient' | 'minimum' | 'good' | 'excellent'
    required_event_types?: EventType[]
    missing_event_types?: EventType[]
    notes?: string
  }
  catalog_match?: { matched_gtins?: string[]; matched_ids?: string[]; matched_count?: number; submitted_count: number }
  brief_relevance?: string
  /** ISO 8601. */
  expires_at?: string
  product_card?: Card
  product_card_detailed?: Card
  collections?: { publisher_domain: string; collection_ids: string[] }[]
  enforced_policies?: string[]
  trusted_match?: TrustedMatch
  /** Changes that are allowed of buys on it; absent: all. */
  allowed_actions?: readonly AllowedAction[]
  ext?: object
}

/** Signals of a provider of data that a product can be targeted by: all, those of a list, or those with a tag. */
type DataProviderSignals =
  | { data_provider_domain: string; selection_type: 'all' }
  | { data_provider_domain: string; selection_type: 'by_id'; signal_ids: string[] }
  | { data_provider_domain: string; selection_type: 'by_tag'; signal_tags: string[] }

/** How a product looks in a list of a buyer's tool. */
interface Card {
  format_id: FormatRef
  manifest: object
}

/** Whether a product is matched in real time, by what, and through whom. */
interface TrustedMatch {
  context_match: boolean
  identity_match?: boolean
  response_types?: ('activation' | 'catalog_items' | 'creative' | 'deal')[]
  dynamic_brands?: boolean
  providers?: { agent_url: string; context_match?: boolean; identity_match?: boolean; countries?: string[] }[]
}

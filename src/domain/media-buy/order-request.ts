import type { DeclaredCatalog } from '../catalog/declared-catalog.ts'
import type { BilledParty, BrandName } from '../party.ts'
import type { FormatRef, MeasurementTerms, PerformanceStandard } from '../product/offer.ts'
import type { KeywordTarget, TargetingOverlay } from '../product/targeting-overlay.ts'
import type { Bidding } from './bid.ts'
import type { OptimizationGoal } from './optimization-goal.ts'

/** How the budget of a package is spread over its flight (AdCP enums/pacing.json). */
export const PACINGS = ['even', 'asap', 'front_loaded'] as const
export type Pacing = (typeof PACINGS)[number]

/** A creative that a package gets: one of the library, or one that comes with the request. */
export interface AssignedCreative {
  creative_id: string
  weight?: number
  placement_ids?: string[]
}

/** A price in major units of a currency. */
export interface Amount {
  readonly amount: number
  readonly currency: string
}

/** The acceptance of an insertion order. */
export interface OrderAcceptance {
  io_id: string
  accepted_at: string
  signatory: string
  signature_id?: string
}

/** A package as a buyer orders it (AdCP media-buy/package-request.json). Budget and bid in major units of the pricing option's currency. */
export interface PackageRequest {
  product_id: string
  pricing_option_id: string
  budget: number
  daily_budget_cap?: number
  format_ids?: FormatRef[]
  pacing?: Pacing
  bid_price?: number
  bidding?: Bidding
  impressions?: number
  /** ISO 8601. */
  start_time?: string
  end_time?: string
  paused?: boolean
  catalogs?: DeclaredCatalog[]
  optimization_goals?: OptimizationGoal[]
  targeting_overlay?: TargetingOverlay
  measurement_terms?: MeasurementTerms
  performance_standards?: PerformanceStandard[]
  creative_assignments?: AssignedCreative[]
  creatives?: AssignedCreative[]
  agency_estimate_number?: string
  context?: object
  ext?: object
}

/** A package as a proposal stands for it: its creatives come later. */
export type ProposedPackage = Omit<PackageRequest, 'creatives' | 'creative_assignments'>

/** A media buy as a buyer orders it: by packages, or by a proposal and a budget. */
export interface OrderRequest {
  readonly proposal_id?: string
  readonly total_budget?: Amount
  readonly daily_budget_cap?: number
  /** For packages without a bid of their own. */
  readonly bidding?: Bidding
  readonly packages?: readonly PackageRequest[]
  readonly brand: BrandName
  readonly plan_id?: string
  readonly advertiser_industry?: string
  readonly invoice_recipient?: BilledParty
  readonly io_acceptance?: OrderAcceptance
  readonly po_number?: string
  readonly agency_estimate_number?: string
  /** ISO 8601, or `asap`. */
  readonly start_time: string
  readonly end_time: string
  readonly context?: object
  readonly ext?: object
}

type Keyword = Pick<KeywordTarget, 'keyword' | 'match_type'>

/** What changes of a package (AdCP media-buy/package-update.json). */
export interface PackageUpdate {
  readonly package_id: string
  readonly budget?: number
  /** Null takes it away. */
  readonly daily_budget_cap?: number | null
  readonly pacing?: Pacing
  readonly bid_price?: number
  /** Null: no bid of the buyer's own any more. */
  readonly bidding?: Bidding | null
  readonly impressions?: number
  readonly start_time?: string
  readonly end_time?: string
  readonly paused?: boolean
  readonly canceled?: true
  readonly cancellation_reason?: string
  readonly catalogs?: DeclaredCatalog[]
  readonly optimization_goals?: OptimizationGoal[]
  readonly targeting_overlay?: TargetingOverlay
  readonly keyword_targets_add?: readonly KeywordTarget[]
  readonly keyword_targets_remove?: readonly Keyword[]
  readonly negative_keywords_add?: readonly Keyword[]
  readonly negative_keywords_remove?: readonly Keyword[]
  readonly creative_assignments?: AssignedCreative[]
  readonly creatives?: AssignedCreative[]
}

/** What changes of a media buy, by `revision` where the buyer names one. */
export interface OrderChange {
  readonly revision?: number
  readonly paused?: boolean
  readonly canceled?: true
  readonly cancellation_reason?: string
  /** ISO 8601, or `asap`. */
  readonly start_time?: string
  readonly end_time?: string
  /** Null takes it away. */
  readonly daily_budget_cap?: number | null
  readonly bidding?: Bidding | null
  readonly packages?: readonly PackageUpdate[]
  readonly new_packages?: readonly PackageRequest[]
  readonly invoice_recipient?: BilledParty
}

import type { DeclaredCatalog } from '../catalog/declared-catalog.ts'
import type { Approval } from '../creative/lifecycle.ts'
import type { BilledParty, Side } from '../party.ts'
import type { MediaBuyStatus } from '../product/media-buy-status.ts'
import type { MeasurementTerms, PerformanceStandard } from '../product/offer.ts'
import type { PriceBreakdown } from '../product/pricing-option.ts'
import type { TargetingOverlay } from '../product/targeting-overlay.ts'
import type { AvailableAction } from './available-actions.ts'
import type { Bidding } from './bid.ts'
import type { OptimizationGoal } from './optimization-goal.ts'
import type { AssignedCreative, Pacing } from './order-request.ts'

/** A change that the established tasks take, in the coarse words of 3.0 (enums/media-buy-valid-action.json). */
export type ValidAction =
  | 'pause'
  | 'resume'
  | 'cancel'
  | 'update_budget'
  | 'update_dates'
  | 'update_packages'
  | 'add_packages'
  | 'sync_creatives'

export interface ShownCancellation {
  canceled_at: string
  canceled_by: Side
  reason?: string
}

/** What every answer about one media buy says of its state. */
export interface ShownState {
  media_buy_id: string
  status: MediaBuyStatus
  revision: number
  valid_actions: ValidAction[]
  available_actions?: readonly AvailableAction[]
}

/** What every answer about a package says. Money in major units of its currency, times ISO 8601. */
interface AnyPackage {
  package_id: string
  product_id?: string
  budget: number
  daily_budget_cap?: number
  bid_price?: number
  bidding?: Bidding
  /** What delivery is charged at. */
  rate?: number
  /** What a rate is for: `USD CPM`, `EUR per day`. */
  rate_unit?: string
  impressions?: number
  targeting_overlay?: TargetingOverlay
  start_time?: string
  end_time?: string
  paused: boolean
  canceled?: boolean
  cancellation?: ShownCancellation
  creative_deadline?: string
  context?: object
  ext?: object
}

/** A package as the answer to an order or a change shows it (AdCP core/package.json). */
export interface ShownPackage extends AnyPackage {
  pacing: Pacing
  pricing_option_id: string
  price_breakdown?: PriceBreakdown
  catalogs?: DeclaredCatalog[]
  measurement_terms?: MeasurementTerms
  performance_standards?: PerformanceStandard[]
  optimization_goals?: OptimizationGoal[]
  creative_assignments?: AssignedCreative[]
  agency_estimate_number?: string
}

/** How far a package is now. */
export interface ShownSnapshot {
  as_of: string
  staleness_seconds: number
  impressions: number
  spend: number
  currency: string
  clicks: number
  pacing_index?: number
  delivery_status?: 'delivering' | 'not_delivering' | 'completed' | 'budget_exhausted' | 'flight_ended' | 'goal_met'
}

/** A package as a list of media buys shows it. */
export interface ListedPackage extends AnyPackage {
  pricing_option_id?: string
  currency?: string
  creative_approvals?: {
    creative_id: string
    approval_status: Approval
    rejection_reason?: string
  }[]
  snapshot?: ShownSnapshot
}

/** A media buy as a list shows it. */
export interface ListedMediaBuy extends ShownState {
  currency: string
  total_budget: number
  start_time: string
  end_time: string
  creative_deadline?: string
  confirmed_at?: string
  cancellation?: ShownCancellation
  created_at?: string
  updated_at?: string
  invoice_recipient?: BilledParty
  history?: { revision: number; timestamp: string; actor: string; action: string; summary: string; package_id?: string }[]
  packages: ListedPackage[]
  context?: object
  ext?: object
}

/** A media buy as the answer to its order shows it. */
export interface CreatedMediaBuy extends ShownState {
  confirmed_at?: string
  creative_deadline?: string
  invoice_recipient?: BilledParty
  packages: ShownPackage[]
  sandbox?: boolean
  ext?: object
}

/** A media buy as the answer to a change shows it. */
export interface UpdatedMediaBuy extends ShownState {
  implementation_date: string
  invoice_recipient?: BilledParty
  affected_packages: ShownPackage[]
  sandbox?: boolean
  ext?: object
}

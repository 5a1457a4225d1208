import type { ContentIdType } from '../catalog/declared-catalog.ts'
import type { EventType } from '../event/event-type.ts'
import type { ReachUnit } from '../product/forecast.ts'
import type { MediaBuyStatus } from '../product/media-buy-status.ts'
import type { PricingModel } from '../product/pricing-option.ts'
import type { DeviceType } from '../product/targeting-overlay.ts'
import type { AudienceLabel } from './delivery-parts.ts'

/** Counts and rates of one report row (AdCP core/delivery-metrics.json). Money in major units. */
export interface ShownMetrics {
  impressions?: number
  spend?: number
  clicks?: number
  ctr?: number
  views?: number
  completed_views?: number
  completion_rate?: number
  conversions?: number
  conversion_value?: number
  roas?: number
  cost_per_acquisition?: number
  cost_per_click?: number
  leads?: number
  by_event_type?: { event_type: EventType; event_source_id?: string; count: number; value?: number }[]
  grps?: number
  reach?: number
  reach_unit?: ReachUnit
  frequency?: number
  viewability?: { measurable_impressions?: number; viewable_impressions?: number; viewable_rate?: number }
}

export interface ShownDay {
  date: string
  impressions: number
  spend: number
  conversions?: number
  conversion_value?: number
  roas?: number
}

/** Delivery of one item of a catalog. */
export interface ShownItem extends ShownMetrics {
  content_id: string
  content_id_type?: ContentIdType
}

/** The breakdown members of one package. */
export interface Breakdowns {
  by_audience?: (ShownMetrics & {
    audience_id: string
    audience_source: AudienceLabel['source']
    audience_name?: string
  })[]
  by_audience_truncated?: boolean
  by_device_type?: (ShownMetrics & { device_type: DeviceType })[]
  by_device_type_truncated?: boolean
  by_geo?: (ShownMetrics & { geo_level: 'country' | 'region'; geo_code: string })[]
  by_geo_truncated?: boolean
  by_placement?: (ShownMetrics & { placement_id: string; placement_name?: string })[]
  by_placement_truncated?: boolean
}

export interface PackageDelivery extends ShownMetrics, Breakdowns {
  package_id: string
  pricing_model: PricingModel
  rate: number
  currency: string
  paused: boolean
  delivery_status?: 'delivering' | 'completed' | 'budget_exhausted' | 'flight_ended' | 'goal_met'
  pacing_index?: number
  is_final: boolean
  measurement_window?: string
  by_catalog_item?: ShownItem[]
  daily_breakdown?: ShownDay[]
}

/** Delivery of one media buy, as a report shows it. */
export interface MediaBuyDelivery {
  media_buy_id: string
  status: MediaBuyStatus
  pricing_model?: PricingModel
  totals: ShownMetrics
  by_package: PackageDelivery[]
  daily_breakdown: ShownDay[]
  windows?: readonly object[]
}

/** Totals over several media buys of one currency. */
export interface AggregatedDelivery {
  impressions: number
  spend: number
  clicks: number
  views?: number
  completed_views?: number
  conversions?: number
  conversion_value?: number
  roas?: number
  cost_per_acquisition?: number
  media_buy_count: number
}

/** How many rows of a dimension, and in which order. */
export interface Cut {
  readonly limit?: number
  readonly sort_by?: string
}

/** What a report is broken down by. */
export interface Dimensions {
  readonly geo?: Cut & { readonly geo_level: string }
  readonly device_type?: Cut
  readonly audience?: Cut
  readonly placement?: Cut
}

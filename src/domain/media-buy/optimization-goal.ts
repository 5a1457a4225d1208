import type { EventType } from '../event/event-type.ts'
import type { Duration } from '../party.ts'
import type { ReachUnit } from '../product/forecast.ts'
import type { OptimizedMetric } from '../product/offer.ts'

/** A measure of the seller's own that delivery is optimized for. */
export interface MetricGoal {
  kind: 'metric'
  metric: OptimizedMetric
  reach_unit?: ReachUnit
  target_frequency?: { [member: string]: unknown }
  view_duration_seconds?: number
  target?: { kind: 'cost_per'; value: number } | { kind: 'threshold_rate'; value: number }
  priority?: number
}

/** Events of the buyer's sources that delivery is optimized for. */
export interface EventGoal {
  kind: 'event'
  event_sources: {
    event_source_id: string
    event_type: EventType
    custom_event_name?: string
    value_field?: string
    value_factor?: number
  }[]
  target?: { kind: 'cost_per'; value: number } | { kind: 'per_ad_spend'; value: number } | { kind: 'maximize_value' }
  attribution_window?: { post_click: Duration; post_view?: Duration }
  priority?: number
}

/** What a package is to bring most of (AdCP core/optimization-goal.json). */
export type OptimizationGoal = MetricGoal | EventGoal

/** A figure that a report can have (AdCP enums/available-metric.json). */
export type AvailableMetric =
  | 'impressions'
  | 'spend'
  | 'clicks'
  | 'ctr'
  | 'video_completions'
  | 'completion_rate'
  | 'conversions'
  | 'conversion_value'
  | 'roas'
  | 'cost_per_acquisition'
  | 'new_to_brand_rate'
  | 'viewability'
  | 'engagement_rate'
  | 'views'
  | 'completed_views'
  | 'leads'
  | 'reach'
  | 'frequency'
  | 'grps'
  | 'quartile_data'
  | 'dooh_metrics'
  | 'cost_per_click'

/** A time after which delivery is counted again. */
export interface MeasurementWindow {
  window_id: string
  description?: string
  duration_days: number
  expected_availability_days?: number
  is_guarantee_basis?: boolean
}

export type ReportingFrequency = 'hourly' | 'daily' | 'monthly'

/** What a product reports, how often and broken down by what (AdCP core/reporting-capabilities.json). */
export interface ReportingCapabilities {
  available_reporting_frequencies: ReportingFrequency[]
  expected_delay_minutes: number
  timezone: string
  supports_webhooks: boolean
  available_metrics: AvailableMetric[]
  supports_creative_breakdown?: boolean
  supports_keyword_breakdown?: boolean
  supports_geo_breakdown?: {
    country?: boolean
    region?: boolean
    metro?: { [system: string]: boolean | undefined }
    postal_area?: { [system: string]: boolean | undefined }
  }
  supports_device_type_breakdown?: boolean
  supports_device_platform_breakdown?: boolean
  supports_audience_breakdown?: boolean
  supports_placement_breakdown?: boolean
  date_range_support: 'date_range' | 'lifetime_only'
  measurement_windows?: MeasurementWindow[]
}

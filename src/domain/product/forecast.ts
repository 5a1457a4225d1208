/** Whom a reach counts (AdCP enums/reach-unit.json). */
export const REACH_UNITS = ['individuals', 'households', 'devices', 'accounts', 'cookies', 'custom'] as const
export type ReachUnit = (typeof REACH_UNITS)[number]

/** An expected figure between two bounds. */
export type ForecastRange = { low?: number; mid?: number; high?: number }

/** What one budget or one stretch of inventory is expected to bring. */
export interface ForecastPoint {
  label?: string
  /** Major units of the forecast's currency. */
  budget?: number
  metrics: { impressions?: ForecastRange; spend?: ForecastRange; [metric: string]: ForecastRange | undefined }
}

/** What a product or a plan is expected to deliver (AdCP core/delivery-forecast.json). */
export interface Forecast {
  points: ForecastPoint[]
  forecast_range_unit?: 'spend' | 'availability' | 'reach_freq' | 'weekly' | 'daily' | 'clicks' | 'conversions' | 'package'
  method: 'estimate' | 'modeled' | 'guaranteed'
  currency: string
  reach_unit?: ReachUnit
  measurement_source?: string
  generated_at?: string
  valid_until?: string
  ext?: object
}

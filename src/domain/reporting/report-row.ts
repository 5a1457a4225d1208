/** What of a row is counted in whole numbers. */
export const COUNTS = ['impressions', 'clicks', 'views', 'completed_views', 'conversions'] as const

/** One package on one day. */
export interface ReportRow {
  readonly period_start: string
  readonly period_end: string
  readonly dimensions: { readonly media_buy_id: string; readonly package_id: string }
  readonly currency: string
  readonly metrics: Readonly<Record<(typeof COUNTS)[number] | 'spend', number>>
}

import type { Offer } from './offer.ts'

/** What a product reports when its file does not say: daily totals within four hours, on request only. */
export const defaultReporting: Offer['reporting_capabilities'] = {
  available_reporting_frequencies: ['daily'],
  expected_delay_minutes: 240,
  timezone: 'UTC',
  supports_webhooks: false,
  available_metrics: ['impressions', 'spend'],
  date_range_support: 'date_range',
}

/** The frame of a forecast that a file gives only as numbers of impressions. */
export function defaultForecast(currency: unknown): {
  method: 'estimate'
  currency: string
  forecast_range_unit: 'availability'
} {
  return { method: 'estimate', currency: typeof currency === 'string' ? currency : '', forecast_range_unit: 'availability' }
}

import { csvText } from '../csv-text.ts'
import type { DeliveryReport } from './delivery-report.ts'

const COUNTS = ['impressions', 'clicks', 'completed_views', 'conversions', 'spent'] as const

/** A delivery report as CSV (RFC 4180): a column for each dimension, then the currency and the counts. Totals are left to the spreadsheet. */
export function reportCsv({ by, rows }: DeliveryReport): string {
  return csvText(
    [...by, 'currency', ...COUNTS],
    rows.map((row) => [...by.map((name) => row.dimensions[name] ?? ''), row.currency, ...COUNTS.map((name) => row[name])]),
  )
}

import { isNamed } from '../../store/ad-serving/report-names.ts'
import { csvText } from '../csv-text.ts'
import type { DeliveryReport } from './delivery-report.ts'

const COUNTS = ['impressions', 'viewable_impressions', 'clicks', 'completed_views', 'conversions', 'spent'] as const

/**
 * A delivery report as CSV (RFC 4180): a column for each dimension, one for its name beside the id where it has one, then the currency and the counts. Totals and
 * rates are left to the spreadsheet.
 */
export function reportCsv({ by, rows }: DeliveryReport): string {
  const headings = by.flatMap((name) => (isNamed(name) ? [name, `${name}_name`] : [name]))
  return csvText(
    [...headings, 'currency', ...COUNTS],
    rows.map((row) => [
      ...by.flatMap((name) => [row.dimensions[name] ?? '', ...(isNamed(name) ? [row.names[name] ?? ''] : [])]),
      row.currency,
      ...COUNTS.map((name) => row[name]),
    ]),
  )
}

import { writtenSheet } from '../../platform/decode/written-file.ts'
import { isNamed } from '../../store/ad-serving/report-names.ts'
import { csvText } from '../csv-text.ts'
import { madeFile } from '../made-file.ts'
import type { DeliveryReport } from './delivery-report-shape.ts'

const COUNTS = ['impressions', 'viewable_impressions', 'clicks', 'completed_views', 'conversions', 'spent'] as const
/** Empty where there are no impressions. */
const RATES = ['viewable_rate', 'click_rate', 'completion_rate', 'ecpm'] as const

/** Media types of the forms of a report. */
export const REPORT_TYPES = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const

/** A delivery report as CSV (RFC 4180). Totals are left to the spreadsheet. */
export function reportCsv(report: DeliveryReport): string {
  const { headings, rows } = reportTable(report)
  return csvText(headings, rows)
}

/** The same as a workbook (.xlsx), whose numbers are numbers. Throws as {@link madeFile}. */
export async function reportWorkbook(report: DeliveryReport): Promise<Uint8Array> {
  return madeFile(writtenSheet({ sheet: 'Delivery', ...reportTable(report) }))
}

/** A column for each dimension, one for its name beside the id where it has one, then the currency, the counts and the rates. */
function reportTable({ by, rows }: DeliveryReport) {
  const headings = by.flatMap((name) => (isNamed(name) ? [name, `${name}_name`] : [name]))
  return {
    headings: [...headings, 'currency', ...COUNTS, ...RATES],
    rows: rows.map((row) => [
      ...by.flatMap((name) => [row.dimensions[name] ?? '', ...(isNamed(name) ? [row.names[name] ?? ''] : [])]),
      row.currency,
      ...COUNTS.map((name) => row[name]),
      ...RATES.map((name) => row[name] ?? ''),
    ]),
  }
}

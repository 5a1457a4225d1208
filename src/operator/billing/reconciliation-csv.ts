import { csvText } from '../csv-text.ts'
import type { Reconciliation, ReconciliationEntry } from './reconciliation-shape.ts'

const COLUMNS = [
  'kind',
  'day',
  'record',
  'finality',
  'order',
  'line',
  'currency',
  'impressions',
  'amount',
  'invoiced',
  'rate_basis',
  'said',
  'agreed',
  'digest',
]

/** The entries as CSV: a row a record, whose amounts add up to the totals by kind. */
export function reconciliationCsv({ entries }: Reconciliation): string {
  const cell = (entry: ReconciliationEntry, name: string) => (Reflect.get(entry, name) as string | number | null) ?? ''
  return csvText(
    COLUMNS,
    entries.map((entry) => COLUMNS.map((name) => cell(entry, name))),
  )
}

import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { decimal } from './decimal.ts'
import type { ReportForm } from './form.ts'
import type { ReportRow } from './report-row.ts'

/** Columns of a flat row, in the order of files. */
export const FLAT_COLUMNS = [
  'period_start',
  'period_end',
  'media_buy_id',
  'package_id',
  'currency',
  'impressions',
  'clicks',
  'views',
  'completed_views',
  'conversions',
  'spend',
] as const

/** A row of a file: texts alone, so that every format of files has the same row. Counts are whole numbers, money a decimal number that is exact to six digits. */
export type FlatRow = Readonly<Record<(typeof FLAT_COLUMNS)[number], string>>

/** A row as files have it. */
export function flatRow({ period_start, period_end, dimensions, currency, metrics }: ReportRow): FlatRow {
  const { spend, ...counts } = metrics
  return {
    ...{ period_start, period_end, media_buy_id: dimensions.media_buy_id, package_id: dimensions.package_id, currency },
    impressions: String(counts.impressions),
    clicks: String(counts.clicks),
    views: String(counts.views),
    completed_views: String(counts.completed_views),
    conversions: String(counts.conversions),
    spend: decimal(Math.round(spend * 1e6)),
  }
}

/** The rows of a report as buyers get them, in files and by calls. */
export function shownRows(
  form: ReportForm,
  rows: readonly ReportRow[],
): readonly (Readonly<Record<string, unknown>> | FlatRow)[] {
  if (form.isFlat) return rows.map(flatRow)
  return rows.map(({ period_start, period_end, dimensions, currency, metrics: { spend, ...counted } }) => {
    const counts = Object.fromEntries(form.counts.map((name) => [name, counted[name]]))
    const row = { period_start, period_end, dimensions }
    return form.hasSpend
      ? { ...row, currency, metrics: { ...counts, spend } }
      : { ...row, impressions: counted.impressions, metrics: counts }
  })
}

/** The bytes that a canonical digest is over, as text (AdCP 3.2, core/reporting-canonicalization-contract.json, `adcp_jcs_rows_v1`): rows in order of their keys. */
export function canonicalRows(rows: readonly Readonly<Record<string, unknown>>[], primaryKeys: readonly string[]): string {
  const encoded = rows.map((row) => ({ key: Buffer.from(jcs(primaryKeys.map((name) => row[name]))), text: jcs(row) }))
  encoded.sort((a, b) => Buffer.compare(a.key, b.key))
  return `[${encoded.map(({ text }) => text).join(',')}]`
}

/** SHA-256 of {@link canonicalRows}, in hexadecimal. */
export function canonicalDigest(rows: readonly Readonly<Record<string, unknown>>[], primaryKeys: readonly string[]): string {
  return hash('sha256', canonicalRows(rows, primaryKeys), 'hex')
}

function jcs(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('a row is no JSON')
  return text
}

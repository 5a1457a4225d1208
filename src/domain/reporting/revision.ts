import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { type DayMetrics, NOTHING } from '../media-buy/delivery.ts'
import type { MediaBuy } from '../media-buy/media-buy.ts'
import { microsToAmount } from '../money.ts'
import { coverageOf } from './coverage.ts'
import { DEFINITION_ID, FINALITY_POLICY_ID, METRICS, PROFILE, reportingDocuments } from './documents.ts'
import { type Obligation, presentPeriod, shortHash, sliceOf } from './obligation.ts'
import type { Finality } from './offering.ts'

/** One package on one day. */
export interface ReportRow {
  readonly period_start: string
  readonly period_end: string
  readonly dimensions: { readonly media_buy_id: string; readonly package_id: string }
  readonly currency: string
  readonly metrics: Readonly<Record<(typeof COUNTS)[number] | 'spend', number>>
}

/** A sum over the rows of a report (AdCP 3.2, core/reporting-control-total.json). */
export interface ControlTotal {
  readonly name: string
  readonly value: string
  readonly value_type: 'integer' | 'decimal'
  readonly unit: string
}

/** A correction of a final report: what is to be added to its totals. It never changes, nor does the report. */
export interface Adjustment {
  readonly reporting_adjustment_id: string
  readonly adjusts_reporting_revision_id: string
  readonly reason_code: 'source_correction'
  readonly reason_detail: string
  readonly accounting_period: { readonly start: string; readonly end: string }
  readonly control_total_deltas: readonly ControlTotal[]
  readonly correction_observed_at: string
  readonly created_at: string
  /** Over the canonical JSON (RFC 8785) of all other members; those of before have none. */
  readonly canonical_adjustment_sha256?: string
}

const COUNTS = ['impressions', 'clicks', 'views', 'completed_views', 'conversions'] as const
const UNITS: ReadonlyMap<string, string> = new Map(METRICS.map(([name, , unit]) => [name, unit]))

/** The rows of an obligation's period, in the order of their packages; a package without delivery has none. */
export function rowsOf(
  { period, mediaBuyIds }: Obligation,
  buys: readonly MediaBuy[],
  daysOf: (buy: MediaBuy, packageId: string) => readonly DayMetrics[],
): readonly ReportRow[] {
  const day = period.start.slice(0, 10)
  const wanted = new Set(mediaBuyIds)
  const rows = buys
    .filter(({ mediaBuyId }) => wanted.has(mediaBuyId))
    .flatMap((buy) =>
      buy.packages.flatMap(({ packageId, pricing }) => {
        const found = daysOf(buy, packageId).find((each) => each.day === day)
        if (!found || isNothing(found)) return []
        const { impressions, clicks, views, completedViews, conversions, spendMicros } = found
        const counts = { impressions, clicks, views, completed_views: completedViews, conversions }
        return [
          {
            ...{ period_start: period.start, period_end: period.end },
            dimensions: { media_buy_id: buy.mediaBuyId, package_id: packageId },
            currency: pricing.currency,
            metrics: { ...counts, spend: microsToAmount(spendMicros) },
          },
        ]
      }),
    )
  return rows.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

const keyOf = ({ dimensions }: ReportRow) => `${dimensions.media_buy_id}\n${dimensions.package_id}`

function isNothing({ day: _day, ...metrics }: DayMetrics): boolean {
  return Object.entries(NOTHING).every(([name, none]) => Reflect.get(metrics, name) === none)
}

/** The sums of the rows, spend by currency. */
export function controlTotals(rows: readonly ReportRow[]): readonly ControlTotal[] {
  const counts = COUNTS.map((name) => ({
    name,
    value: String(rows.reduce((sum, { metrics }) => sum + metrics[name], 0)),
    value_type: 'integer' as const,
    unit: UNITS.get(name) ?? name,
  }))
  const currencies = [...new Set(rows.map(({ currency }) => currency))].sort()
  const spend = currencies.map((currency) => ({
    name: `spend.${currency}`,
    value: decimal(rows.reduce((sum, row) => sum + (row.currency === currency ? Math.round(row.metrics.spend * 1e6) : 0), 0)),
    value_type: 'decimal' as const,
    unit: currency,
  }))
  return [...counts, ...spend]
}

/** Micros as a decimal number without needless digits: 2_600_000 is "2.6". */
export function decimal(micros: number): string {
  const sign = micros < 0 ? '-' : ''
  const digits = String(Math.abs(micros)).padStart(7, '0')
  return `${sign}${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0{0,6}$/, '')
}

/** Where a report stands among those of its period. */
interface RevisionPlace {
  readonly finality: Finality
  /** The id of the snapshot before; undefined for the first, and for the final report. */
  readonly supersedes: string | undefined
  readonly origin: string
  readonly now: Date
}

/** A published report (AdCP 3.2, core/reporting-revision.json), bound to its rows by RFC 8785 and SHA-256. It never changes. */
export function revisionOf(
  obligation: Obligation,
  rows: readonly ReportRow[],
  { finality, supersedes, origin, now }: RevisionPlace,
) {
  const { definition, schema } = reportingDocuments(origin)
  const { accountId, mediaBuyIds, packageIds, period } = obligation
  const id = `reporting-revision.${shortHash(['revision', sliceOf(obligation), supersedes ?? '', finality, rows])}`
  const totals = controlTotals(rows)
  const at = now.toISOString()
  return {
    reporting_revision_id: id,
    revision_content_sha256: bindingDigest({
      ...{ reporting_revision_id: id, row_count: rows.length, control_totals: totals, reporting_rows: rows },
    }),
    report_definition_id: DEFINITION_ID,
    report_definition_uri: definition.uri,
    report_definition_sha256: definition.sha256,
    reporting_profile: PROFILE.id,
    schema_version: PROFILE.version,
    schema_uri: schema.uri,
    schema_sha256: schema.sha256,
    schema_dialect: 'https://json-schema.org/draft/2020-12/schema' as const,
    schema_ref_policy: 'local_fragment_only' as const,
    account_id: accountId,
    media_buy_ids: [...mediaBuyIds],
    coverage: coverageOf(mediaBuyIds, packageIds, period.end),
    period: presentPeriod(period),
    finality,
    ...(finality === 'official' && {
      ...{ finality_basis: 'contractual_cutoff' as const, finality_policy_id: FINALITY_POLICY_ID, finalized_at: at },
    }),
    observed_at: at,
    // Ad servers do not say up to which event they have counted.
    data_through: null,
    data_through_precision: 'unknown' as const,
    ...(supersedes !== undefined && { supersedes_reporting_revision_id: supersedes }),
    row_count: rows.length,
    control_totals: totals,
    created_at: at,
  }
}

export type Revision = ReturnType<typeof revisionOf>

/** SHA-256, hex, of the canonical JSON (RFC 8785) of what a digest binds: of a revision its id, row count, totals and rows. */
export function bindingDigest(binding: object): string {
  const text = canonicalize(binding)
  if (text === undefined) throw new TypeError('the binding is no JSON object')
  return hash('sha256', text, 'hex')
}

/**
 * The correction of a final report (AdCP 3.2, core/reporting-adjustment.json) by what was counted since: what its totals, with the corrections so far, lack.
 * Undefined where nothing does.
 */
export function adjustmentOf(
  official: Revision,
  corrected: readonly Adjustment[],
  rows: readonly ReportRow[],
  now: Date,
): Adjustment | undefined {
  const known = new Map<string, ControlTotal>()
  for (const total of [...official.control_totals, ...corrected.flatMap(({ control_total_deltas: deltas }) => deltas)])
    known.set(total.name, { ...total, value: add(known.get(total.name)?.value ?? '0', total.value, total.value_type) })
  const current = new Map(controlTotals(rows).map((total) => [total.name, total]))
  const names = [...new Set([...known.keys(), ...current.keys()])].sort()
  const deltas = names.flatMap((name) => {
    const total = current.get(name) ?? known.get(name)
    if (!total) return []
    const value = add(current.get(name)?.value ?? '0', `-${known.get(name)?.value ?? '0'}`.replace(/^--/, ''), total.value_type)
    return value === '0' ? [] : [{ ...total, value }]
  })
  if (deltas.length === 0) return undefined
  const at = now.toISOString()
  const content = { adjusts_reporting_revision_id: official.reporting_revision_id, control_total_deltas: deltas }
  const adjustment = {
    reporting_adjustment_id: `reporting-adjustment.${shortHash([content, corrected.length])}`,
    ...content,
    reason_code: 'source_correction' as const,
    reason_detail: 'the ad server corrected its counts after the report was final',
    accounting_period: monthOf(now),
    correction_observed_at: at,
    created_at: at,
  }
  return { ...adjustment, canonical_adjustment_sha256: bindingDigest(adjustment) }
}

/** The calendar month (UTC) in which a correction was seen. */
function monthOf(at: Date) {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()]
  return { start: new Date(Date.UTC(year, month)).toISOString(), end: new Date(Date.UTC(year, month + 1)).toISOString() }
}

function add(a: string, b: string, type: ControlTotal['value_type']): string {
  return type === 'integer' ? String(Number(a) + Number(b)) : decimal(Math.round(Number(a) * 1e6) + Math.round(Number(b) * 1e6))
}

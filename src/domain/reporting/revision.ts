import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { type DayMetrics, type Metrics, NOTHING } from '../media-buy/delivery.ts'
import type { MediaBuy, Package } from '../media-buy/media-buy.ts'
import { microsToAmount } from '../money.ts'
import { coverageOf } from './coverage.ts'
import { decimal } from './decimal.ts'
import { FINALITY_POLICY_ID, METRICS, reportingDocuments } from './documents.ts'
import { canonicalDigest, shownRows } from './flat-rows.ts'
import type { ReportForm } from './form.ts'
import { formOf, type Obligation, presentPeriod, shortHash, sliceOf } from './obligation.ts'
import type { Finality } from './offering.ts'
import type { ReportRow } from './report-row.ts'

/** A sum over the rows of a report (AdCP 3.2, core/reporting-control-total.json). */
export interface ControlTotal {
  readonly name: string
  readonly value: string
  readonly value_type: 'integer' | 'decimal'
  readonly unit: string
}

const UNITS: ReadonlyMap<string, string> = new Map(METRICS.map(([name, , unit]) => [name, unit]))

/** The rows of an obligation's day, in the order of their packages; a package without delivery has none. `day`: that day, as the days of `daysOf` are called. */
export function rowsOf(
  obligation: Obligation,
  buys: readonly MediaBuy[],
  { day, daysOf }: { readonly day: string; readonly daysOf: (buy: MediaBuy, packageId: string) => readonly DayMetrics[] },
): readonly ReportRow[] {
  const { counts } = formOf(obligation)
  const none = { impressions: 0, clicks: 0, views: 0, completed_views: 0, conversions: 0 }
  return packageRows(obligation, buys, (buy, { packageId, pricing }) => {
    const found = daysOf(buy, packageId).find((each) => each.day === day)
    if (!found || isNothing(found)) return undefined
    const { impressions, clicks, views, completedViews, conversions, spendMicros } = found
    const counted = { impressions, clicks, views, completed_views: completedViews, conversions }
    const shown = Object.fromEntries(counts.map((name) => [name, counted[name]]))
    const dimensions = { media_buy_id: buy.mediaBuyId, package_id: packageId }
    return { dimensions, currency: pricing.currency, metrics: { ...none, ...shown, spend: microsToAmount(spendMicros) } }
  })
}

/** The rows of an obligation's hour, likewise. */
export function hourRowsOf(
  obligation: Obligation,
  buys: readonly MediaBuy[],
  countedIn: (buy: MediaBuy, pkg: Package) => Pick<Metrics, 'impressions' | 'clicks'>,
): readonly ReportRow[] {
  return packageRows(obligation, buys, (buy, pkg) => {
    const { impressions, clicks } = countedIn(buy, pkg)
    if (impressions === 0 && clicks === 0) return undefined
    const country = onlyCountry(pkg)
    return {
      dimensions: { media_buy_id: buy.mediaBuyId, package_id: pkg.packageId, ...(country !== undefined && { country }) },
      currency: pkg.pricing.currency,
      metrics: { impressions, clicks, views: 0, completed_views: 0, conversions: 0, spend: 0 },
    }
  })
}

/** The one country that a package is delivered in, as it was ordered; undefined where there may be several. */
function onlyCountry({ targetingOverlay }: Package): string | undefined {
  const [country, ...more] = targetingOverlay?.geo_countries ?? []
  return more.length === 0 ? country : undefined
}

function packageRows(
  { period, mediaBuyIds }: Obligation,
  buys: readonly MediaBuy[],
  rowOf: (buy: MediaBuy, pkg: Package) => Omit<ReportRow, 'period_start' | 'period_end'> | undefined,
): readonly ReportRow[] {
  const wanted = new Set(mediaBuyIds)
  const place = { period_start: period.start, period_end: period.end }
  const rows = buys
    .filter(({ mediaBuyId }) => wanted.has(mediaBuyId))
    .flatMap((buy) =>
      buy.packages.flatMap((pkg) => {
        const row = rowOf(buy, pkg)
        return row ? [{ ...place, ...row }] : []
      }),
    )
  return rows.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

const keyOf = ({ dimensions }: ReportRow) => `${dimensions.media_buy_id}\n${dimensions.package_id}`

function isNothing({ day: _day, ...metrics }: DayMetrics): boolean {
  return Object.entries(NOTHING).every(([name, none]) => Reflect.get(metrics, name) === none)
}

/** The sums of the rows, spend by currency. Of flat rows in one currency they are called as the columns are, so that a program finds what is added up. */
export function controlTotals(
  rows: readonly ReportRow[],
  { isFlat, totals, hasSpend }: Pick<ReportForm, 'isFlat' | 'totals' | 'hasSpend'>,
): readonly ControlTotal[] {
  const counts = totals.map((name) => ({
    name,
    value: String(rows.reduce((sum, { metrics }) => sum + metrics[name], 0)),
    value_type: 'integer' as const,
    unit: UNITS.get(name) ?? name,
  }))
  if (!hasSpend) return counts
  const currencies = [...new Set(rows.map(({ currency }) => currency))].sort()
  const spend = currencies.map((currency) => ({
    name: isFlat && currencies.length === 1 ? 'spend' : `spend.${currency}`,
    value: decimal(rows.reduce((sum, row) => sum + (row.currency === currency ? Math.round(row.metrics.spend * 1e6) : 0), 0)),
    value_type: 'decimal' as const,
    unit: currency,
  }))
  return [...counts, ...spend]
}

/** Where a report stands among those of its period. */
interface RevisionPlace {
  readonly finality: Finality
  /** The id of the snapshot before; undefined for the first, and for the final report. */
  readonly supersedes: string | undefined
  readonly origin: string
  readonly now: Date
  /** The id that the report has whatever its rows are; absent: it follows from them. */
  readonly id?: string | undefined
}

/** A published report (AdCP 3.2, core/reporting-revision.json), bound to its rows by RFC 8785 and SHA-256. It never changes. */
export function revisionOf(
  obligation: Obligation,
  rows: readonly ReportRow[],
  { finality, supersedes, origin, now, id: fixed }: RevisionPlace,
) {
  const form = formOf(obligation)
  const { definition, schema } = reportingDocuments(origin, form)
  const { accountId, mediaBuyIds, packageIds, period } = obligation
  const id = fixed ?? `reporting-revision.${shortHash(['revision', sliceOf(obligation), supersedes ?? '', finality, rows])}`
  const totals = controlTotals(rows, form)
  const at = now.toISOString()
  const shown = shownRows(form, rows)
  return {
    reporting_revision_id: id,
    revision_content_sha256: bindingDigest({
      ...{ reporting_revision_id: id, row_count: rows.length, control_totals: totals, reporting_rows: shown },
    }),
    report_definition_id: form.definitionId,
    report_definition_uri: definition.uri,
    report_definition_sha256: definition.sha256,
    reporting_profile: form.profile.id,
    schema_version: form.profile.version,
    schema_uri: schema.uri,
    schema_sha256: schema.sha256,
    schema_dialect: 'https://json-schema.org/draft/2020-12/schema' as const,
    schema_ref_policy: 'local_fragment_only' as const,
    account_id: accountId,
    media_buy_ids: [...mediaBuyIds],
    coverage: coverageOf(mediaBuyIds, packageIds, period.end),
    period: presentPeriod(obligation),
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
    ...canonicalContent(form, shown, origin),
    created_at: at,
  }
}

export type Revision = ReturnType<typeof revisionOf>

/** The canonical digest of the rows (AdCP 3.2, core/reporting-canonical-content-digest.json), where the form has one. */
function canonicalContent(
  form: ReportForm,
  rows: ReturnType<typeof shownRows>,
  origin: string,
): { readonly canonical_content_digest?: CanonicalDigest } {
  const { canonicalization } = reportingDocuments(origin, form)
  if (!canonicalization || form.canonicalizationId === undefined) return {}
  return {
    canonical_content_digest: {
      algorithm: 'sha256',
      value: canonicalDigest(
        rows.map((row) => ({ ...row })),
        form.primaryKeys,
      ),
      canonicalization_id: form.canonicalizationId,
      canonicalization_uri: canonicalization.uri,
      canonicalization_sha256: canonicalization.sha256,
    },
  }
}

/** AdCP 3.2, core/reporting-canonical-content-digest.json. */
export interface CanonicalDigest {
  readonly algorithm: 'sha256'
  readonly value: string
  readonly canonicalization_id: string
  readonly canonicalization_uri: string
  readonly canonicalization_sha256: string
}

/** SHA-256, hex, of the canonical JSON (RFC 8785) of what a digest binds: of a revision its id, row count, totals and rows. */
export function bindingDigest(binding: object): string {
  const text = canonicalize(binding)
  if (text === undefined) throw new TypeError('the binding is no JSON object')
  return hash('sha256', text, 'hex')
}

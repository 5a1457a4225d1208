import { hash } from 'node:crypto'
import { canonicalRows, FLAT_COLUMNS, flatRow } from './flat-rows.ts'
import { OFFICIAL_AFTER_DAYS, type ReportForm } from './form.ts'

export const FINALITY_POLICY_ID = 'cutoff_7d.v1'

/** A document that is pinned by its digest. */
export interface PinnedDocument {
  /** Below the origin of this agent. */
  readonly path: string
  readonly uri: string
  readonly type: string
  readonly text: string
  /** SHA-256 of the text, hex. */
  readonly sha256: string
}

/** The metrics of a row: name, what is counted, and the unit. */
export const METRICS = [
  ['impressions', 'impressions', 'impressions'],
  ['clicks', 'clicks', 'clicks'],
  ['views', 'video or audio plays that count as a view', 'views'],
  ['completed_views', 'plays that reached their end', 'views'],
  ['conversions', 'credited events of the buyer', 'events'],
  ['spend', 'quantity × rate of the price of the package, or its fee by its stated recognition', 'currency of the row'],
] as const

/** Media types of documents of reports (AdCP 3.2, core/reporting-report-definition.json and core/reporting-canonicalization-contract.json). */
const DEFINITION_TYPE = 'application/vnd.adcp.reporting-definition+json'
export const CANONICALIZATION_TYPE = 'application/vnd.adcp.reporting-canonicalization+json'

/** The documents of reports of one form. */
export interface FormDocuments {
  readonly definition: PinnedDocument
  readonly schema: PinnedDocument
  readonly canonicalization?: PinnedDocument
}

/** The definition of reports of a form, the schema of their rows and the rules of their digest, as an agent at `origin` publishes them. */
export function reportingDocuments(origin: string, form: ReportForm): FormDocuments {
  const { profile, canonicalizationId } = form
  const schema = pinned(
    origin,
    `schemas/${profile.id}.v${profile.version}`,
    'application/json',
    form.isFlat ? FLAT_SCHEMA : rowSchema(form),
  )
  return {
    definition: pinned(origin, `definitions/${form.definitionId}`, DEFINITION_TYPE, definitionAt(origin, form)),
    schema,
    ...(canonicalizationId !== undefined && {
      canonicalization: pinned(
        origin,
        `canonicalizations/${canonicalizationId}`,
        CANONICALIZATION_TYPE,
        canonicalizationOf(form, schema.sha256),
      ),
    }),
  }
}

function pinned(origin: string, name: string, type: string, document: object): PinnedDocument {
  const path = `/reporting/${name}.json`
  const text = JSON.stringify(document)
  return { path, uri: `${origin}${path}`, type, text, sha256: hash('sha256', text, 'hex') }
}

function definitionAt(origin: string, form: ReportForm): object {
  const { definitionId, profile, isFlat, period, alignment, counts, hasSpend, requeryDays } = form
  return {
    contract_version: '1.1',
    media_type: DEFINITION_TYPE,
    report_definition_id: definitionId,
    reporting_profile: profile.id,
    grain: profile.grain,
    source: {
      provider: { domain: new URL(origin).hostname },
      system: 'adcp-sales-agent',
      api_version: '1',
      query_semantics: {
        source: 'delivery as the ad servers of the packages count it, and what the publisher recorded by hand',
        ...(period === 'PT1H'
          ? { hours: 'UTC hours', country: 'that of a package which is targeted at one country alone' }
          : { days: alignment === 'utc' ? 'UTC days' : 'days of the time zone of the schedule, as the publisher bills them' }),
        ...(counts.includes('conversions') && {
          conversions: 'events that the buyer logged, credited by the attribution window of get_media_buy_delivery',
        }),
        rows:
          period === 'PT1H'
            ? 'one for each package with delivery in that hour; an hour without delivery has none'
            : 'one for each package with delivery on that day; a day without delivery has none',
        ...(isFlat && {
          totals:
            'spend is a total where all rows have one currency; else there is one for each, such as spend.EUR and spend.USD',
        }),
      },
    },
    calendar: { timezone_basis: alignment === 'utc' ? 'utc' : 'schedule_timezone' },
    // Of flat rows the column, so that a program finds what is added up.
    metrics: METRICS.filter(([name]) => (name === 'spend' ? hasSpend : counts.includes(name))).map(([name, source, unit]) => ({
      ...{ name, source_expression: isFlat ? name : source, aggregation: 'sum', unit },
    })),
    dimensions: ['media_buy_id', 'package_id', ...(period === 'PT1H' ? ['country'] : [])],
    restatement_policy: {
      source_requery_duration: `P${requeryDays}D`,
      emit_only_on_content_change: true,
      official_correction_mode: 'adjustments_only',
    },
    finality_policies: [
      {
        finality_policy_id: FINALITY_POLICY_ID,
        basis: 'contractual_cutoff',
        duration_after_period_end: `P${OFFICIAL_AFTER_DAYS}D`,
      },
    ],
  }
}

/** The rules of the canonical digest of flat rows, with the cases that the schema wants (core/reporting-canonicalization-contract.json, `golden_vectors`). */
function canonicalizationOf({ primaryKeys }: ReportForm, schemaDigest: string): object {
  const sample = (id: string, impressions: number, spend: number) =>
    flatRow({
      ...{ period_start: '2026-03-02T00:00:00.000Z', period_end: '2026-03-03T00:00:00.000Z', currency: 'EUR' },
      dimensions: { media_buy_id: 'media-buy-1', package_id: id },
      metrics: { impressions, clicks: 1, views: 0, completed_views: 0, conversions: 0, spend },
    })
  const vector = (name: string, rows: readonly Readonly<Record<string, unknown>>[]) => {
    const text = canonicalRows(rows, primaryKeys)
    const purpose = { name, purpose: name, input_rows: rows }
    return { ...purpose, canonical_utf8_base64: Buffer.from(text).toString('base64'), sha256: hash('sha256', text, 'hex') }
  }
  return {
    contract_version: '1.0',
    media_type: CANONICALIZATION_TYPE,
    algorithm: 'adcp_jcs_rows_v1',
    schema_sha256: schemaDigest,
    primary_keys: primaryKeys,
    golden_vectors: {
      empty_report: vector('empty_report', []),
      ordering_encoding: vector('ordering_encoding', [sample('package-2', 1_200, 2.5), sample('package-1', 3, 0.000001)]),
    },
  }
}

const MOMENT = { type: 'string', format: 'date-time' }
const TEXT = { type: 'string', minLength: 1 }
const COUNT = { type: 'integer', minimum: 0 }

/** Schema of one row; every reference in it is local (`schema_ref_policy`). */
function rowSchema({ counts, hasSpend }: ReportForm): object {
  const money = hasSpend ? { currency: { type: 'string', pattern: '^[A-Z]{3}$' } } : { impressions: COUNT }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      period_start: MOMENT,
      period_end: MOMENT,
      dimensions: {
        type: 'object',
        properties: {
          media_buy_id: TEXT,
          package_id: TEXT,
          ...(!hasSpend && { country: { type: 'string', pattern: '^[A-Z]{2}$' } }),
        },
        required: ['media_buy_id', 'package_id'],
        additionalProperties: false,
      },
      ...money,
      metrics: {
        type: 'object',
        properties: {
          ...Object.fromEntries(counts.map((name) => [name, COUNT])),
          ...(hasSpend && { spend: { type: 'number', minimum: 0 } }),
        },
        required: [...counts, ...(hasSpend ? ['spend'] : [])],
        additionalProperties: false,
      },
    },
    required: ['period_start', 'period_end', 'dimensions', ...Object.keys(money), 'metrics'],
    additionalProperties: false,
  }
}

/** Schema of a flat row: texts. The official consumer takes no regular expressions here. */
const FLAT_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: Object.fromEntries(FLAT_COLUMNS.map((name) => [name, name.startsWith('period_') ? MOMENT : TEXT])),
  required: FLAT_COLUMNS,
  additionalProperties: false,
}

import { hash } from 'node:crypto'

/** What the rows of reports mean; a change of the meaning is another id (AdCP 3.2, core/reporting-report-definition.json). */
export const DEFINITION_ID = 'media_buy_delivery_daily.v1'
/** One row for each package and UTC day (AdCP 3.2, core/reporting-delivery-offering.json, `reporting_profile`). */
export const PROFILE = { id: 'media_buy_delivery_daily', version: '1', grain: 'package_day' } as const
export const FINALITY_POLICY_ID = 'cutoff_7d.v1'
/** After so many days a report is final; what ad servers correct later is an adjustment. */
export const OFFICIAL_AFTER_DAYS = 7
/** For so long after its end the delivery of a day is read again. */
export const REQUERY_DAYS = 30

/** A document that is pinned by its digest. */
export interface PinnedDocument {
  /** Below the origin of this agent. */
  readonly path: string
  readonly uri: string
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

/** The definition of the reports and the schema of their rows, as an agent at `origin` publishes them. */
export function reportingDocuments(origin: string): { readonly definition: PinnedDocument; readonly schema: PinnedDocument } {
  return {
    definition: pinned(origin, `/reporting/definitions/${DEFINITION_ID}.json`, definitionAt(origin)),
    schema: pinned(origin, `/reporting/schemas/${PROFILE.id}.v${PROFILE.version}.json`, ROW_SCHEMA),
  }
}

function pinned(origin: string, path: string, document: object): PinnedDocument {
  const text = JSON.stringify(document)
  return { path, uri: `${origin}${path}`, text, sha256: hash('sha256', text, 'hex') }
}

function definitionAt(origin: string): object {
  return {
    contract_version: '1.1',
    media_type: 'application/vnd.adcp.reporting-definition+json',
    report_definition_id: DEFINITION_ID,
    reporting_profile: PROFILE.id,
    grain: PROFILE.grain,
    source: {
      provider: { domain: new URL(origin).hostname },
      system: 'adcp-sales-agent',
      api_version: '1',
      query_semantics: {
        source: 'delivery as the ad servers of the packages count it, and what the publisher recorded by hand',
        days: 'UTC days',
        conversions: 'events that the buyer logged, credited by the attribution window of get_media_buy_delivery',
        rows: 'one for each package with delivery on that day; a day without delivery has none',
      },
    },
    calendar: { timezone_basis: 'utc' },
    metrics: METRICS.map(([name, source_expression, unit]) => ({ name, source_expression, aggregation: 'sum', unit })),
    dimensions: ['media_buy_id', 'package_id'],
    restatement_policy: {
      source_requery_duration: `P${REQUERY_DAYS}D`,
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

const MOMENT = { type: 'string', format: 'date-time' }
const TEXT = { type: 'string', minLength: 1 }
const COUNT = { type: 'integer', minimum: 0 }

/** Schema of one row; every reference in it is local (`schema_ref_policy`). */
const ROW_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    period_start: MOMENT,
    period_end: MOMENT,
    dimensions: {
      type: 'object',
      properties: { media_buy_id: TEXT, package_id: TEXT },
      required: ['media_buy_id', 'package_id'],
      additionalProperties: false,
    },
    currency: { type: 'string', pattern: '^[A-Z]{3}$' },
    metrics: {
      type: 'object',
      properties: {
        ...Object.fromEntries(METRICS.filter(([name]) => name !== 'spend').map(([name]) => [name, COUNT])),
        spend: { type: 'number', minimum: 0 },
      },
      required: METRICS.map(([name]) => name),
      additionalProperties: false,
    },
  },
  required: ['period_start', 'period_end', 'dimensions', 'currency', 'metrics'],
  additionalProperties: false,
}

import { hash } from 'node:crypto'
import { DAY_MS } from '../calendar/instant.ts'
import { FLAT_COLUMNS, type FlatRow } from './flat-rows.ts'
import { formOf, type Obligation, presentPeriod, shortHash } from './obligation.ts'
import { type FeedPurpose, type FileFormat, filesAddress, offeringNamed, RETENTION_DAYS } from './offering.ts'
import type { CanonicalDigest, ControlTotal, Revision } from './revision.ts'

/** The name of a manifest beside its files. */
export const MANIFEST = 'manifest.json'
/** Rows of one file: about two megabytes before they are compressed. */
const MOST_ROWS = 5_000

/** The files of one report for one obligation (AdCP 3.2, core/reporting-materialization.json). It never changes. */
export interface Materialization {
  readonly reporting_materialization_id: string
  readonly reporting_revision_id: string
  readonly reporting_obligation_id: string
  readonly delivery_config_id: string
  readonly delivery_config_version: number
  readonly feed_purpose: FeedPurpose
  readonly resource: {
    readonly resource_ref: string
    readonly manifest_sha256: string
    readonly expires_at: string
    readonly [member: string]: unknown
  }
  readonly verification: {
    readonly verification_profile: 'manifest_checksums' | 'canonical_digest'
    readonly row_count: number
    readonly control_totals: readonly ControlTotal[]
    readonly canonical_content_digest?: CanonicalDigest
    readonly [member: string]: unknown
  }
  readonly ready_at: string
  readonly [member: string]: unknown
}

/** A file of a report, as it is delivered. */
export interface ReportFile {
  readonly objectRef: string
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/** A file before it is compressed. */
interface Part {
  readonly objectRef: string
  readonly mediaType: string
  readonly text: string
  readonly rowCount: number
}

/** The texts of the files of a report: one, or more where it has many rows; one without rows where it has none. */
export function partsOf(obligation: Pick<Obligation, 'offeringId'>, rows: readonly FlatRow[]): readonly Part[] {
  const { format } = offeringNamed(obligation.offeringId)
  if (format === undefined) throw new Error(`${obligation.offeringId} has no files`)
  const count = Math.max(1, Math.ceil(rows.length / MOST_ROWS))
  return Array.from({ length: count }, (_, index) => {
    const part = rows.slice(index * MOST_ROWS, (index + 1) * MOST_ROWS)
    const objectRef = `rows-${index + 1}.${format}.gz`
    return { objectRef, mediaType: TYPES[format], text: TEXTS[format](part), rowCount: part.length }
  })
}

const TYPES: Readonly<Record<FileFormat, string>> = { csv: 'text/csv', jsonl: 'application/x-ndjson' }

const TEXTS: Readonly<Record<FileFormat, (rows: readonly FlatRow[]) => string>> = {
  csv: (rows) => [FLAT_COLUMNS, ...rows.map((row) => FLAT_COLUMNS.map((name) => row[name]))].map(csvLine).join(''),
  jsonl: (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
}

/** RFC 4180 §2. */
function csvLine(values: readonly string[]): string {
  const written = values.map((value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value))
  return `${written.join(',')}\r\n`
}

/** What files are made for. */
interface Made {
  readonly obligation: Obligation
  readonly revision: Revision
  readonly owner: { readonly tenantId: string; readonly principalId: string }
  /** That of the agent. */
  readonly origin: string
  readonly now: Date
}

/** The record of compressed files of a report, with their manifest behind them: what it does not name is no part of the report (AdCP 3.2, core/reporting-file-manifest.json). */
export function materializationOf(
  { obligation, revision, owner, origin, now }: Made,
  files: readonly (ReportFile & { readonly rowCount: number })[],
): { readonly materialization: Materialization; readonly files: readonly ReportFile[] } {
  const { obligationId, configId, version, feedPurpose, destinationRef = '' } = obligation
  const { reporting_revision_id: revisionId, row_count, control_totals, canonical_content_digest: digest } = revision
  const id = `reporting-materialization.${shortHash(['materialization', obligationId, revisionId])}`
  const resourceRef = `reporting-resource.${shortHash(['resource', owner.tenantId, owner.principalId, id])}`
  const at = now.toISOString()
  const listed = files.map(({ objectRef, bytes, rowCount }) => ({
    ...{ object_ref: objectRef, size_bytes: bytes.length, sha256: hash('sha256', bytes, 'hex'), row_count: rowCount },
  }))
  const named = { reporting_revision_id: revisionId, reporting_obligation_id: obligationId, reporting_materialization_id: id }
  const manifest = JSON.stringify({
    ...{ manifest_version: '1.0', complete: true, ...named, period: presentPeriod(obligation) },
    ...{ format: offeringNamed(obligation.offeringId).format, compression: 'gzip', files: listed },
    total_size_bytes: listed.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
    ...{ row_count, control_totals, created_at: at },
  })
  const isCanonical = formOf(obligation).canonicalizationId !== undefined && digest !== undefined
  const materialization: Materialization = {
    ...named,
    ...{ delivery_config_id: configId, delivery_config_version: version, destination_ref: destinationRef },
    ...{ feed_purpose: feedPurpose, method: 'file_transfer', transport: 'https', attempt: 1, status: 'available' },
    ready_at: at,
    resource: {
      ...{ resource_ref: resourceRef, kind: 'manifest', location: `${filesAddress(origin)}${resourceRef}/${MANIFEST}` },
      ...{ manifest_version: '1.0', manifest_sha256: hash('sha256', manifest, 'hex'), immutability: 'immutable_location' },
      expires_at: new Date(now.getTime() + RETENTION_DAYS * DAY_MS).toISOString(),
    },
    verification: {
      ...{ verified_at: at, verification_path: 'producer', row_count, control_totals },
      verification_profile: isCanonical ? 'canonical_digest' : 'manifest_checksums',
      ...(isCanonical && { canonical_content_digest: digest }),
      physical_checksums: listed.map(({ object_ref, sha256: value }) => ({ object_ref, algorithm: 'sha256', value })),
    },
    created_at: at,
  }
  const written = { objectRef: MANIFEST, mediaType: 'application/json', bytes: Buffer.from(manifest) }
  return { materialization, files: [...files.map(({ rowCount: _rows, ...file }) => file), written] }
}

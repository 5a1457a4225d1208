import { DAY_MS, HOUR_MS } from '../calendar/instant.ts'
import { type Adjustment, adjustmentOf } from './adjustment.ts'
import { requiredRevision } from './consumer-status.ts'
import { OFFICIAL_AFTER_DAYS } from './form.ts'
import type { ReportLedger } from './ledger.ts'
import { formOf, type Obligation, sliceOf } from './obligation.ts'
import type { ReportRow } from './report-row.ts'
import { type Revision, revisionOf } from './revision.ts'

/** Ad servers are given so long after a day to count its last events before it is reported. */
const SETTLES_MS = 15 * 60_000
/** A report that may still change is read again so often. */
const REQUERY_MS = 3_600_000

/** What is recorded of a slice once its rows are known: a report with its rows, or the correction of a final report. */
export type Publication =
  | { readonly kind: 'revision'; readonly sliceId: string; readonly revision: Revision; readonly rows: readonly ReportRow[] }
  | { readonly kind: 'adjustment'; readonly sliceId: string; readonly adjustment: Adjustment }

/** One obligation for each slice of which something may have to be published now. */
export function openSlices(
  obligations: readonly Obligation[],
  { revisions, adjustments, asOf }: Pick<ReportLedger, 'revisions' | 'adjustments' | 'asOf'>,
): readonly Obligation[] {
  const bySlice = new Map(obligations.map((obligation) => [sliceOf(obligation), obligation] as const))
  return [...bySlice].flatMap(([slice, obligation]) => {
    const published = revisions.get(slice) ?? []
    const isOfficial = officialOf(published) !== undefined
    const sinceEnd = asOf.getTime() - Date.parse(obligation.period.end)
    if (sinceEnd < SETTLES_MS) return []
    // A report that was never made is owed for as long as it is kept.
    if (sinceEnd > formOf(obligation).requeryDays * DAY_MS + REQUERY_MS) return isOfficial ? [] : [obligation]
    if (published.length > 0 && isRestingHour(obligation, asOf)) return []
    const last = [...published, ...(adjustments.get(slice) ?? [])].at(-1)
    const isFresh = last !== undefined && asOf.getTime() - Date.parse(last.created_at) < REQUERY_MS
    return isFresh && (isOfficial || !isFinalAt(obligation, asOf)) ? [] : [obligation]
  })
}

/** Where reports are published. */
export interface PublicationPlace {
  /** Of the agent, where the documents of its reports are. */
  readonly origin: string
  /** The id that the report has whatever its rows are; absent: it follows from them. */
  readonly id?: string | undefined
}

/**
 * What is to be recorded of the rows of a slice: the first report, a changed or the final one, a correction of that, or nothing. `known`: the rows of the
 * newest report, as JSON.
 */
export function publicationOf(
  obligation: Obligation,
  rows: readonly ReportRow[],
  known: string | undefined,
  { revisions, adjustments, asOf }: Pick<ReportLedger, 'revisions' | 'adjustments' | 'asOf'>,
  { origin, id }: PublicationPlace,
): Publication | undefined {
  const sliceId = sliceOf(obligation)
  const published = revisions.get(sliceId) ?? []
  const official = officialOf(published)
  if (official) {
    const adjustment = adjustmentOf(official, adjustments.get(sliceId) ?? [], rows, { form: formOf(obligation), now: asOf })
    return adjustment && { kind: 'adjustment', sliceId, adjustment }
  }
  const isFinal = isFinalAt(obligation, asOf)
  if (!isFinal && known === JSON.stringify(rows)) return undefined
  const place = { finality: isFinal ? ('official' as const) : ('snapshot' as const), origin, now: asOf, id }
  // The final report closes its period beside the chain of snapshots: the official consumer (adcp.reporting) refuses a chain of both.
  const supersedes = isFinal ? undefined : published.at(-1)?.reporting_revision_id
  return { kind: 'revision', sliceId, revision: revisionOf(obligation, rows, { ...place, supersedes }), rows }
}

/** A report that has to be made as files for an obligation. */
export interface FilesToMake {
  readonly obligation: Obligation
  readonly revision: Revision
}

/** Reports that obligations with files require, and that have none: those of `published`, and those that are published and lack them. */
export function filesToMake(
  obligations: readonly Obligation[],
  { revisions, materializations }: Pick<ReportLedger, 'revisions' | 'materializations'>,
  published: readonly Publication[],
): readonly FilesToMake[] {
  return obligations.flatMap((obligation) => {
    if (obligation.destinationRef === undefined) return []
    const slice = sliceOf(obligation)
    const fresh = published.flatMap((each) => (each.kind === 'revision' && each.sliceId === slice ? [each.revision] : []))
    const revision = requiredRevision(obligation, [...(revisions.get(slice) ?? []), ...fresh])
    const made = materializations.get(obligation.obligationId) ?? []
    const isMade = made.some((each) => each.reporting_revision_id === revision?.reporting_revision_id)
    return revision && !isMade ? [{ obligation, revision }] : []
  })
}

/** Whether an hour is not read again now: those of the last day are, older ones once a day, and all when they become final. */
function isRestingHour(obligation: Obligation, asOf: Date): boolean {
  if (formOf(obligation).period !== 'PT1H' || isFinalAt(obligation, asOf)) return false
  const sinceEnd = asOf.getTime() - Date.parse(obligation.period.end)
  return sinceEnd > DAY_MS && Math.floor(sinceEnd / HOUR_MS) % 24 !== 0
}

function officialOf(published: readonly Revision[]): Revision | undefined {
  return published.find(({ finality }) => finality === 'official')
}

/** Whether a period ended so long ago that its next report is the final one. */
function isFinalAt({ period }: Obligation, now: Date): boolean {
  return now.getTime() >= Date.parse(period.end) + OFFICIAL_AFTER_DAYS * DAY_MS
}

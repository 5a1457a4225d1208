import type { RecordOf, ReportRecord, RevisionOutline } from '../../domain/reporting/ledger.ts'
import type { Obligation } from '../../domain/reporting/obligation.ts'
import type { ReportRow } from '../../domain/reporting/report-row.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../database.ts'
import type { ReportOwner } from './generations.ts'
import type { ReportingTables } from './rows.ts'

type StoredRecord = ReportingTables['reporting_records']

/** Place of the newest record; 0 when there is none. */
export async function newestRecord(db: Db, owner: ReportOwner): Promise<number> {
  const row = await recordsOf(db, owner).select('seq').orderBy('seq', 'desc').limit(1).executeTakeFirst()
  return row?.seq ?? 0
}

/** Which records are read: up to a place; of periods that begin at `since` or later, or recorded behind `after`; before `before`; of some slices. Corrections are few: all. */
interface RecordRange {
  readonly until?: number
  readonly since?: string
  readonly before?: string
  readonly after?: number
  readonly slices?: readonly string[]
  /** False: only what was published and said. */
  readonly withObligations?: boolean
}

/** Records in order, without the rows of revisions. */
export async function listRecords(db: Db, owner: ReportOwner, range: RecordRange = {}): Promise<ReportRecord[]> {
  if (range.slices?.length === 0) return []
  const rows = await inRange(db, owner, range).select(['seq', 'kind', 'slice_id', 'document']).orderBy('seq').execute()
  return rows.map(recordOf)
}

/** Records of some places, in the order of these, until their documents have `most` characters together; one at least. */
export async function listRecordsAt(
  db: Db,
  owner: ReportOwner,
  places: readonly number[],
  most: number,
): Promise<ReportRecord[]> {
  const found: ReportRecord[] = []
  let characters = 0
  for (let from = 0; from < places.length; from += FEW) {
    const part = places.slice(from, from + FEW)
    const rows = await recordsOf(db, owner).select(['seq', 'kind', 'slice_id', 'document']).where('seq', 'in', part).execute()
    const bySeq = new Map(rows.map((row) => [row.seq, row]))
    for (const row of part.flatMap((seq) => bySeq.get(seq) ?? [])) {
      characters += row.document.length
      if (found.length > 0 && characters > most) return found
      found.push(recordOf(row))
    }
  }
  return found
}

/** Documents that are read at once where each may be large. */
const FEW = 10

/**
 * Records in order, and of reports only what their health follows from: of a year nothing more has to be read. Those of a whole ledger are read some at a time,
 * between which others are served; those of some slices are few.
 */
export async function listOutlines(db: Db, owner: ReportOwner, range: RecordRange): Promise<RecordOf<RevisionOutline>[]> {
  if (range.slices?.length === 0) return []
  const whole = await inParts(range, SOME_DOCUMENTS, async (last, most) => {
    const rows = await inRange(db, owner, range)
      .select(['seq', 'kind', 'slice_id', 'document'])
      .where((e) => e.or([e('kind', '<>', 'revision'), e('finality', 'is', null)]))
      .$if(most !== undefined, (q) =>
        q
          .where('seq', '>', last)
          .orderBy('seq')
          .limit(most ?? 0),
      )
      .execute()
    return rows.map(recordOf)
  })
  const reports = await inParts(range, SOME_REPORTS, (last, most) =>
    inRange(db, owner, range)
      .select(['seq', 'slice_id', 'record_id', 'finality', 'recorded_at'])
      .where('kind', '=', 'revision')
      .where('finality', 'is not', null)
      .$if(most !== undefined, (q) =>
        q
          .where('seq', '>', last)
          .orderBy('seq')
          .limit(most ?? 0),
      )
      .execute(),
  )
  const outlines = reports.map(({ seq, slice_id: sliceId, record_id: id, finality, recorded_at: at }) => ({
    ...{ seq, sliceId, kind: 'revision' as const },
    revision: { reporting_revision_id: id, finality: finality ?? 'snapshot', created_at: at },
  }))
  return [...whole, ...outlines].sort((a, b) => a.seq - b.seq)
}

/** Documents that are parsed in a row: one names the orders of an account. */
const SOME_DOCUMENTS = 50
/** Rows of a few columns that are read in a row. */
const SOME_REPORTS = 1_000

/** Rows behind a place, `most` of them, part by part; of slices all at once. */
async function inParts<T extends { readonly seq: number }>(
  { slices }: RecordRange,
  most: number,
  read: (last: number, most: number | undefined) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  if (slices !== undefined) return read(0, undefined)
  const found: T[] = []
  for (;;) {
    const part = await read(found.at(-1)?.seq ?? 0, most)
    found.push(...part)
    if (part.length < most) return found
    await yieldToEventLoop()
  }
}

/** They name the months in which they were seen, not the days that they correct. */
export const CORRECTIONS = ['adjustment', 'adjustment_receipt'] as const

function inRange(db: Db, owner: ReportOwner, range: RecordRange) {
  const { until = MOST_SEQ, since, before, after = MOST_SEQ, slices, withObligations = true } = range
  return recordsOf(db, owner)
    .$if(!withObligations, (q) => q.where('kind', '<>', 'obligation'))
    .where('seq', '<=', Math.min(until, MOST_SEQ))
    .$if(slices !== undefined, (q) => q.where('slice_id', 'in', slices ?? []))
    .$if(since !== undefined, (q) =>
      q.where((e) => e.or([e('period_start', '>=', since ?? ''), e('seq', '>', after), e('kind', 'in', CORRECTIONS)])),
    )
    .$if(before !== undefined, (q) => q.where((e) => e.or([e('period_start', '<', before ?? ''), e('kind', 'in', CORRECTIONS)])))
}

function recordOf(row: Pick<StoredRecord, 'seq' | 'kind' | 'slice_id' | 'document'>): ReportRecord {
  const { seq, kind, slice_id: sliceId } = row
  const content = JSON.parse(row.document)
  if (kind === 'obligation') return { seq, sliceId, kind, obligation: content }
  if (kind === 'revision') return { seq, sliceId, kind, revision: content }
  if (kind === 'materialization') return { seq, sliceId, kind, materialization: content }
  if (kind === 'receipt') return { seq, sliceId, kind, receipt: content }
  if (kind === 'adjustment_receipt') return { seq, sliceId, kind, adjustmentReceipt: content }
  return kind === 'adjustment' ? { seq, sliceId, kind, adjustment: content } : { seq, sliceId, kind, statement: content }
}

/** Obligations of the given ids. */
export async function findObligations(db: Db, owner: ReportOwner, ids: readonly string[]): Promise<readonly Obligation[]> {
  if (ids.length === 0) return []
  const rows = await recordsOf(db, owner)
    .select('document')
    .where('record_id', 'in', ids)
    .where('kind', '=', 'obligation')
    .execute()
  return rows.map(({ document }) => JSON.parse(document))
}

/** What an integer column of PostgreSQL holds. */
const MOST_SEQ = 2_147_483_647

/** A revision with its rows; undefined for one that is not this buyer's of this account. */
export async function findRevision(db: Db, owner: ReportOwner, revisionId: string) {
  const row = await recordsOf(db, owner)
    .select(['document', 'report_rows', 'slice_id'])
    .where('record_id', '=', revisionId)
    .where('kind', '=', 'revision')
    .executeTakeFirst()
  if (!row) return undefined
  const { document, report_rows: rows, slice_id: sliceId } = row
  return { sliceId, revision: JSON.parse(document), rows: JSON.parse(rows ?? '[]') as readonly ReportRow[] }
}

/** The rows of the newest revision of each slice, as text. */
export async function newestRows(db: Db, owner: ReportOwner, sliceIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const sliceId of sliceIds) {
    const row = await recordsOf(db, owner)
      .select('report_rows')
      .where('slice_id', '=', sliceId)
      .where('kind', '=', 'revision')
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst()
    if (row) found.set(sliceId, row.report_rows ?? '[]')
  }
  return found
}

/** Which of some names of statements are recorded, of whatever period. */
export function recordedStatements(db: Db, owner: ReportOwner, ids: readonly string[]): Promise<ReadonlySet<string>> {
  return recordedNames(db, owner, ids, statementKey)
}

/** Which of some names of receipts are recorded, of whatever report or correction. */
export function recordedReceipts(db: Db, owner: ReportOwner, ids: readonly string[]): Promise<ReadonlySet<string>> {
  return recordedNames(db, owner, ids, receiptKey)
}

async function recordedNames(
  db: Db,
  owner: ReportOwner,
  ids: readonly string[],
  keyOf: (id: string) => string,
): Promise<ReadonlySet<string>> {
  const rows = await recordsOf(db, owner).select('record_id').where('record_id', 'in', ids.map(keyOf)).execute()
  return new Set(rows.map((row) => row.record_id.slice(keyOf('').length)))
}

/** The documents and slices of records of a kind by id, such as corrections. */
export async function findRecords<T>(
  db: Db,
  owner: ReportOwner,
  kind: 'materialization' | 'adjustment',
  ids: readonly string[],
): Promise<ReadonlyMap<string, { readonly sliceId: string; readonly document: T }>> {
  if (ids.length === 0) return new Map()
  const rows = await recordsOf(db, owner)
    .select(['record_id', 'slice_id', 'document'])
    .where('record_id', 'in', ids)
    .where('kind', '=', kind)
    .execute()
  return new Map(rows.map((row) => [row.record_id, { sliceId: row.slice_id, document: JSON.parse(row.document) }]))
}

/** Buyers choose the names of statements and receipts, which are never those of our own records. */
export const statementKey = (id: string) => `consumer_status ${id}`
export const receiptKey = (id: string) => `receipt ${id}`

/** The records of an owner, of which the statement names the rest. */
export function recordsOf(db: Db, owner: ReportOwner) {
  return db
    .selectFrom('reporting_records')
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('account_id', '=', owner.accountId)
}

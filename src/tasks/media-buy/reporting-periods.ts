import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { ledgerOf, type ReportLedger, type RevisionOutline } from '../../domain/reporting/ledger.ts'
import { MOST_CHARACTERS, type Obligation, withinSize } from '../../domain/reporting/obligation.ts'
import type { Period } from '../../domain/reporting/period-calendar.ts'
import { presentStanding } from '../../domain/reporting/present-standing.ts'
import { type Snapshot, snapshotId } from '../../domain/reporting/snapshot.ts'
import { generationsIn, healthOf, presentScope, type StatusScope } from '../../domain/reporting/status.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../../store/database.ts'
import { casesOf } from '../../store/reporting/cases.ts'
import { listGenerations, type ReportOwner } from '../../store/reporting/generations.ts'
import { changedSlices, listEvidence, listObligationKeys, type ObligationKey } from '../../store/reporting/periods.ts'
import { listOutlines, listRecordsAt } from '../../store/reporting/records.ts'
import { presentEvidence } from './reporting-revision.ts'
import { DEFAULT_PAGE, horizonOf, placeOf, type StatusRequest } from './reporting-walk.ts'

/** Obligations whose documents are looked through before others are served: each names the orders of an account. */
const AT_ONCE = 20

/** Whose records are read, up to where, and where a delta begins. */
interface Reading {
  readonly tx: Db
  readonly owner: ReportOwner
  readonly snapshot: Snapshot
  /** Records behind it are new to the buyer; 0: all are. */
  readonly since: number
  /** The configurations and decided issues, without records. */
  readonly empty: ReportLedger<RevisionOutline>
}

/**
 * The obligations of a scope in order of their periods, then what was published and said of them (AdCP 3.2, get_reporting_status, view `periods`). Read
 * are the places of all records and the documents of those that the page shows, so that a year costs a page no more than a week.
 */
export async function periodsView(
  request: StatusRequest,
  scope: StatusScope,
  owner: ReportOwner,
  context: InTransaction<AuthenticatedContext>,
): Promise<object> {
  const { tx } = context
  const filters = ['get_reporting_status', owner, scope, request.health]
  const query = [...filters, request.changes_after]
  const { snapshot, offset } = await placeOf(request, query, owner, context)
  const since = Number(decodeCursor(filters, request.changes_after, 'changes_after') ?? 0)
  const generations = await listGenerations(tx, owner)
  const horizon = horizonOf(scope, snapshot.asOf, generations)
  const empty = ledgerOf<RevisionOutline>(generations, [], snapshot.asOf, await casesOf(tx, owner))
  const reading: Reading = { tx, owner, snapshot, since, empty }
  const owed = await chosen(reading, await changed(reading, scope, horizon), scope, request.health)
  const evidence = await listEvidence(tx, owner, slicesOf(owed), { after: since, until: snapshot.seq })
  const total = owed.length + evidence.length
  const end = offset + (request.pagination?.max_results ?? DEFAULT_PAGE)
  const places = [
    ...owed.slice(offset, end).map(({ seq }) => seq),
    ...evidence.slice(Math.max(0, offset - owed.length), Math.max(0, end - owed.length)),
  ]
  const page = withinSize(await listRecordsAt(tx, owner, places, MOST_CHARACTERS))
  const shown = page.flatMap((each) => (each.kind === 'obligation' ? [each.obligation] : []))
  const ledger = await ledgerAbout(reading, owed.slice(offset, offset + shown.length))
  const hasMore = page.length > 0 && offset + page.length < total
  const next = [snapshot.seq, snapshot.asOf.toISOString(), offset + page.length].join(' ')
  return {
    view: 'periods',
    ledger_snapshot_id: snapshotId(owner, snapshot),
    ledger_as_of: snapshot.asOf.toISOString(),
    changes_checkpoint: encodeCursor(filters, String(snapshot.seq)),
    account_id: owner.accountId,
    scope: presentScope(empty, scope, horizon),
    periods: shown.map((obligation) => presentStanding(obligation, ledger)),
    revisions: page.flatMap((each) => (each.kind === 'revision' ? [each.revision] : [])),
    adjustments: page.flatMap((each) => (each.kind === 'adjustment' ? [each.adjustment] : [])),
    consumer_statuses: page.flatMap((each) => (each.kind === 'consumer_status' ? [each.statement] : [])),
    ...presentEvidence(page),
    pagination: { has_more: hasMore, total_count: total, ...(hasMore && { cursor: encodeCursor(query, next) }) },
  }
}

/** The obligations of the periods and configurations of a scope, of a delta those with something new. It repairs whatever has changed, however old its period is. */
async function changed(
  { tx, owner, snapshot: { seq: until }, since, empty }: Reading,
  scope: StatusScope,
  horizon: Period,
): Promise<readonly ObligationKey[]> {
  const { start, end } = scope.period ?? { start: since > 0 ? undefined : horizon.start, end: undefined }
  const range = { generations: generationsIn(empty, scope), until, since: start, before: end }
  const keys = await listObligationKeys(tx, owner, range)
  if (since === 0) return keys
  const slices = await changedSlices(tx, owner, { after: since, until, before: end })
  return keys.filter(({ sliceId, obligationId }) => slices.has(sliceId) || slices.has(obligationId))
}

/** Those that are about some orders, and have one of some healths: what only the documents say. */
async function chosen(
  reading: Reading,
  keys: readonly ObligationKey[],
  { mediaBuyIds }: StatusScope,
  healths: StatusRequest['health'],
): Promise<readonly ObligationKey[]> {
  if (!mediaBuyIds && !healths) return keys
  const wanted = mediaBuyIds && new Set(mediaBuyIds)
  const found: ObligationKey[] = []
  for (let from = 0; from < keys.length; from += AT_ONCE) {
    if (from > 0) await yieldToEventLoop()
    const part = keys.slice(from, from + AT_ONCE)
    const { tx, owner } = reading
    const records = await listRecordsAt(
      tx,
      owner,
      part.map(({ seq }) => seq),
      Number.POSITIVE_INFINITY,
    )
    const documents = new Map(
      records.flatMap((each) => (each.kind === 'obligation' ? [[each.seq, each.obligation] as const] : [])),
    )
    const ledger = healths ? await ledgerAbout(reading, part) : reading.empty
    const fits = (obligation: Obligation | undefined) =>
      obligation !== undefined &&
      (!wanted || obligation.mediaBuyIds.some((id) => wanted.has(id))) &&
      (healths?.includes(healthOf(obligation, ledger)) ?? true)
    found.push(...part.filter(({ seq }) => fits(documents.get(seq))))
  }
  return found
}

/** What was published and said of some obligations, as far as their health follows from it. */
async function ledgerAbout(
  { tx, owner, snapshot, empty }: Reading,
  keys: readonly ObligationKey[],
): Promise<ReportLedger<RevisionOutline>> {
  const range = { until: snapshot.seq, slices: slicesOf(keys), withObligations: false }
  return ledgerOf(empty.generations, await listOutlines(tx, owner, range), snapshot.asOf, empty.cases)
}

/** What the records about obligations are filed under: their slices and themselves. */
function slicesOf(keys: readonly ObligationKey[]): readonly string[] {
  return [...new Set(keys.flatMap(({ sliceId, obligationId }) => [sliceId, obligationId]))]
}

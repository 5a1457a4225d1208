import { DAY_MS } from '../../domain/calendar/instant.ts'
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { nextDay, type Period } from '../../domain/reporting/generation.ts'
import {
  ledgerOf,
  type RecordOf,
  type ReportLedger,
  type ReportRecord,
  type RevisionOutline,
} from '../../domain/reporting/ledger.ts'
import { sliceOf, withinSize } from '../../domain/reporting/obligation.ts'
import { RETENTION_DAYS } from '../../domain/reporting/offering.ts'
import { presentStanding } from '../../domain/reporting/present-standing.ts'
import { type Snapshot, snapshotId } from '../../domain/reporting/snapshot.ts'
import { healthOf, obligationsIn, presentScope, type StatusScope, summaryOf } from '../../domain/reporting/status.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findMediaBuys } from '../../store/media-buy/media-buys.ts'
import { casesOf } from '../../store/reporting/cases.ts'
import { listGenerations, type ReportOwner } from '../../store/reporting/generations.ts'
import { findObligations, listOutlines, listRecords, newestRecord } from '../../store/reporting/records.ts'
import { presentEvidence, revisionView } from './reporting-revision.ts'
import { DEFAULT_PAGE, ownerOf, placeOf, requireAccount, type StatusRequest, unavailable } from './reporting-walk.ts'

type Context = InTransaction<AuthenticatedContext>

/** Without a period, reports of so many days are looked at (documented in docs/buyer.md). */
const HORIZON_DAYS = 35

export const getReportingStatus = defineTask<StatusRequest, object>()({
  name: 'get_reporting_status',
  since: '3.2',
  access: 'authenticated',
  ofPrograms: true,
  scope: 'media_buys',
  account: 'required',
  summary: 'Which reports of delivery are due, late, published or corrected.',
  async prepare(_request, { account, principal, services }) {
    if (account)
      await services.reporting.settle({ ...ownerOf(account, principal), sandbox: principal.sandbox }).catch(unlessUnavailable)
  },
  async handle(request, context) {
    const owner = ownerOf(requireAccount(context), context.principal)
    if (request.view === 'revision') return revisionView(request, owner, context)
    const scope = scopeOf(request, context.now)
    const generations = await listGenerations(context.tx, owner)
    if (
      await namesUnknown(
        request,
        owner,
        generations.map(({ configId }) => configId),
        context,
      )
    )
      return unavailable(request.view)
    return request.view === 'summary' ? summaryView(scope, owner, context) : periodsView(request, scope, owner, context)
  },
})

/** An ad server that does not report makes reports late, which the answer says; what is owed is recorded. */
function unlessUnavailable(error: unknown): void {
  if (!(error instanceof AdcpError) || error.code !== 'SERVICE_UNAVAILABLE') throw error
}

/** Throws INVALID_REQUEST for a period that begins before what is kept, or that is longer than that. */
function scopeOf(request: StatusRequest, now: Date): StatusScope {
  const kept = new Date(now.getTime() - RETENTION_DAYS * DAY_MS).toISOString()
  const { start, end } = request.period ?? {}
  if (start !== undefined && end !== undefined) {
    const [from, until] = [Date.parse(start), Date.parse(end)]
    const isKept = from >= Date.parse(kept) && until > from && until - from <= 2 * RETENTION_DAYS * DAY_MS
    if (!isKept) {
      const message = `period has to begin at ${kept} or later, since reports are kept for ${RETENTION_DAYS} days, and end after that`
      throw new AdcpError('INVALID_REQUEST', message, { field: 'period' })
    }
  }
  return {
    mediaBuyIds: request.media_buy_ids,
    configIds: request.delivery_config_ids,
    feedPurposes: request.feed_purposes,
    finality: request.finality,
    period: request.period && {
      start: new Date(request.period.start).toISOString(),
      end: new Date(request.period.end).toISOString(),
    },
  }
}

/** Whether a name is not the caller's: unknown ones and those of others are answered alike. */
async function namesUnknown(
  request: StatusRequest,
  owner: ReportOwner,
  configIds: readonly string[],
  { tx, principal }: Context,
) {
  if (request.delivery_config_ids?.some((id) => !configIds.includes(id))) return true
  const { media_buy_ids: ids } = request
  if (!ids) return false
  const found = await findMediaBuys(tx, principal, ids)
  return ids.some((id) => !found.some((buy) => buy.mediaBuyId === id && buy.accountId === owner.accountId))
}

/** Records up to a snapshot, with the scope of the question bounded where it names no period. */
function readRecords(
  owner: ReportOwner,
  { seq }: Snapshot,
  { tx }: Context,
  range: { readonly since?: string; readonly before?: string; readonly after?: number },
): Promise<ReportRecord[]> {
  return listRecords(tx, owner, { until: seq, ...range })
}

async function ledgerIn<R extends RevisionOutline>(
  owner: ReportOwner,
  records: readonly RecordOf<R>[],
  { asOf }: Snapshot,
  { tx }: Context,
): Promise<ReportLedger<R>> {
  return ledgerOf(await listGenerations(tx, owner), records, asOf, await casesOf(tx, owner))
}

/** The records with all others of the slices of which something was recorded behind `since`, however old. */
async function withChanged(
  owner: ReportOwner,
  { seq: until }: Snapshot,
  { tx }: Context,
  records: readonly ReportRecord[],
  since: number,
): Promise<readonly ReportRecord[]> {
  const known = new Set(
    records.flatMap((each) => (each.kind === 'obligation' ? [each.sliceId, each.obligation.obligationId] : [])),
  )
  const missing = [...new Set(records.flatMap(({ seq, sliceId }) => (seq > since && !known.has(sliceId) ? [sliceId] : [])))]
  const found = new Map(records.map((record) => [record.seq, record] as const))
  for (let from = 0; from < missing.length; from += AT_ONCE) {
    const part = missing.slice(from, from + AT_ONCE)
    // A statement is found by its obligation, whose slice has the reports.
    const slices = (await findObligations(tx, owner, part)).map(sliceOf)
    for (const record of await listRecords(tx, owner, { until, slices: [...part, ...slices] })) found.set(record.seq, record)
  }
  return [...found.values()].sort((a, b) => a.seq - b.seq)
}

/** Values of one statement of the store. */
const AT_ONCE = 500

/** Of a question about a period, no record behind that is read. */
function until({ period }: StatusScope): { readonly before?: string } {
  return period ? { before: period.end } : {}
}

/** What an answer looks at: the period that was asked for, else the last weeks up to the newest boundary. */
function horizonOf({ period }: StatusScope, asOf: Date): Period {
  if (period) return period
  const end = new Date(nextDay(asOf).getTime() - (asOf.getTime() % DAY_MS === 0 ? 0 : DAY_MS))
  return { start: new Date(end.getTime() - HORIZON_DAYS * DAY_MS).toISOString(), end: end.toISOString() }
}

/** The scope with the default horizon as a bound of its obligations, but open: what comes next belongs to it. */
function recent<R extends RevisionOutline>(scope: StatusScope, ledger: ReportLedger<R>, horizon: Period): ReportLedger<R> {
  if (scope.period) return ledger
  return { ...ledger, obligations: ledger.obligations.filter(({ period }) => period.start >= horizon.start) }
}

async function summaryView(scope: StatusScope, owner: ReportOwner, context: Context): Promise<object> {
  const snapshot = { seq: await newestRecord(context.tx, owner), asOf: context.now }
  const horizon = horizonOf(scope, snapshot.asOf)
  const range = { until: snapshot.seq, since: horizon.start, ...until(scope) }
  const ledger = await ledgerIn(owner, await listOutlines(context.tx, owner, range), snapshot, context)
  const seen = recent(scope, ledger, horizon)
  return {
    view: 'summary',
    ledger_snapshot_id: snapshotId(owner, snapshot),
    ledger_as_of: snapshot.asOf.toISOString(),
    account_id: owner.accountId,
    scope: presentScope(seen, scope, horizon),
    ...summaryOf(seen, scope),
  }
}

async function periodsView(request: StatusRequest, scope: StatusScope, owner: ReportOwner, context: Context): Promise<object> {
  const filters = ['get_reporting_status', owner, scope, request.health]
  const query = [...filters, request.changes_after]
  const { snapshot, offset } = await placeOf(request, query, owner, context)
  const since = Number(decodeCursor(filters, request.changes_after, 'changes_after') ?? 0)
  const horizon = horizonOf(scope, snapshot.asOf)
  const range = { since: horizon.start, ...until(scope), ...(since > 0 && { after: since }) }
  const read = await readRecords(owner, snapshot, context, range)
  const records = since > 0 ? await withChanged(owner, snapshot, context, read, since) : read
  const ledger = await ledgerIn(owner, records, snapshot, context)
  // An incremental read repairs whatever has changed, however old its period is.
  const seen = since > 0 ? ledger : recent(scope, ledger, horizon)
  const changed = new Set(records.filter(({ seq }) => seq > since).map(({ sliceId }) => sliceId))
  const obligations = obligationsIn(seen, scope).filter(
    (each) =>
      (changed.has(sliceOf(each)) || changed.has(each.obligationId)) && (request.health?.includes(healthOf(each, seen)) ?? true),
  )
  const slices = new Set(obligations.flatMap((each) => [sliceOf(each), each.obligationId]))
  const others = records.filter(({ kind, seq, sliceId }) => kind !== 'obligation' && seq > since && slices.has(sliceId))
  const most = request.pagination?.max_results ?? DEFAULT_PAGE
  const all = [...obligations.map((obligation) => ({ kind: 'obligation' as const, obligation })), ...others]
  const page = withinSize(all.slice(offset, offset + most))
  const hasMore = offset + page.length < all.length
  const next = [snapshot.seq, snapshot.asOf.toISOString(), offset + page.length].join(' ')
  return {
    view: 'periods',
    ledger_snapshot_id: snapshotId(owner, snapshot),
    ledger_as_of: snapshot.asOf.toISOString(),
    changes_checkpoint: encodeCursor(filters, String(snapshot.seq)),
    account_id: owner.accountId,
    scope: presentScope(seen, scope, horizon),
    periods: page.flatMap((each) => (each.kind === 'obligation' ? [presentStanding(each.obligation, seen)] : [])),
    revisions: page.flatMap((each) => (each.kind === 'revision' ? [each.revision] : [])),
    adjustments: page.flatMap((each) => (each.kind === 'adjustment' ? [each.adjustment] : [])),
    consumer_statuses: page.flatMap((each) => (each.kind === 'consumer_status' ? [each.statement] : [])),
    ...presentEvidence(page),
    pagination: { has_more: hasMore, total_count: all.length, ...(hasMore && { cursor: encodeCursor(query, next) }) },
  }
}

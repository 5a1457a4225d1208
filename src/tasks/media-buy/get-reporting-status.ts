import type { AccountReference } from '@adcp/sdk/types'
import type { Account } from '../../domain/account/account.ts'
import { DAY_MS } from '../../domain/calendar/instant.ts'
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { nextDay, type Period } from '../../domain/reporting/generation.ts'
import { sliceOf } from '../../domain/reporting/obligation.ts'
import { type Finality, RETENTION_DAYS } from '../../domain/reporting/offering.ts'
import { type Snapshot, snapshotId } from '../../domain/reporting/snapshot.ts'
import {
  type Health,
  healthOf,
  ledgerOf,
  obligationsIn,
  presentScope,
  presentStanding,
  type ReportLedger,
  type ReportRecord,
  type StatusScope,
  summaryOf,
} from '../../domain/reporting/status.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findMediaBuys } from '../../store/media-buy/media-buys.ts'
import { casesOf } from '../../store/reporting/cases.ts'
import { listGenerations, type ReportOwner } from '../../store/reporting/generations.ts'
import { findRevision, listRecords, newestRecord } from '../../store/reporting/records.ts'

/** AdCP 3.2, media-buy/get-reporting-status-request.json. */
interface Request {
  readonly account: AccountReference
  readonly view: 'summary' | 'periods' | 'revision'
  readonly media_buy_ids?: readonly string[]
  readonly delivery_config_ids?: readonly string[]
  readonly feed_purposes?: readonly string[]
  readonly period?: Period
  readonly health?: readonly Health[]
  readonly finality?: readonly Finality[]
  readonly reporting_revision_id?: string
  readonly changes_after?: string
  readonly pagination?: { readonly max_results?: number; readonly cursor?: string }
}

type Context = InTransaction<AuthenticatedContext>

const DEFAULT_PAGE = 50
/** Without a period, reports of so many days are looked at (documented in docs/buyer.md). */
const HORIZON_DAYS = 35

export const getReportingStatus = defineTask<Request, object>()({
  name: 'get_reporting_status',
  since: '3.2',
  access: 'authenticated',
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

export function ownerOf({ tenantId, accountId }: Account, { principalId }: { readonly principalId: string }): ReportOwner {
  return { tenantId, principalId, accountId }
}

export function requireAccount({ account }: Pick<Context, 'account'>): Account {
  if (!account) throw new Error('the pipeline resolves a required account')
  return account
}

/** Throws INVALID_REQUEST for a period that begins before what is kept, or that is longer than that. */
function scopeOf(request: Request, now: Date): StatusScope {
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
async function namesUnknown(request: Request, owner: ReportOwner, configIds: readonly string[], { tx, principal }: Context) {
  if (request.delivery_config_ids?.some((id) => !configIds.includes(id))) return true
  const { media_buy_ids: ids } = request
  if (!ids) return false
  const found = await findMediaBuys(tx, principal, ids)
  return ids.some((id) => !found.some((buy) => buy.mediaBuyId === id && buy.accountId === owner.accountId))
}

/** AdCP 3.2, get-reporting-status-response.json, "Unavailable lookup": the one answer for what is not there and what is not the caller's. */
function unavailable(view: Request['view']): object {
  const error = { code: 'NOT_FOUND', message: 'Reporting status resource is unavailable.' }
  return { status: 'failed', view, failure_kind: 'lookup_unavailable', errors: [error] }
}

/** Records up to a snapshot, with the scope of the question bounded where it names no period. */
async function readLedger(
  owner: ReportOwner,
  snapshot: Snapshot,
  { tx }: Context,
  range: { readonly since?: string; readonly after?: number; readonly slices?: readonly string[] },
): Promise<{ ledger: ReportLedger; records: ReportRecord[] }> {
  const records = await listRecords(tx, owner, { until: snapshot.seq, ...range })
  return { ledger: ledgerOf(await listGenerations(tx, owner), records, snapshot.asOf, await casesOf(tx, owner)), records }
}

/** What an answer looks at: the period that was asked for, else the last weeks up to the newest boundary. */
function horizonOf({ period }: StatusScope, asOf: Date): Period {
  if (period) return period
  const end = new Date(nextDay(asOf).getTime() - (asOf.getTime() % DAY_MS === 0 ? 0 : DAY_MS))
  return { start: new Date(end.getTime() - HORIZON_DAYS * DAY_MS).toISOString(), end: end.toISOString() }
}

/** The scope with the default horizon as a bound of its obligations, but open: what comes next belongs to it. */
function recent(scope: StatusScope, ledger: ReportLedger, horizon: Period): ReportLedger {
  if (scope.period) return ledger
  return { ...ledger, obligations: ledger.obligations.filter(({ period }) => period.start >= horizon.start) }
}

async function summaryView(scope: StatusScope, owner: ReportOwner, context: Context): Promise<object> {
  const snapshot = { seq: await newestRecord(context.tx, owner), asOf: context.now }
  const horizon = horizonOf(scope, snapshot.asOf)
  const { ledger } = await readLedger(owner, snapshot, context, { since: horizon.start })
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

async function periodsView(request: Request, scope: StatusScope, owner: ReportOwner, context: Context): Promise<object> {
  const filters = ['get_reporting_status', owner, scope, request.health]
  const query = [...filters, request.changes_after]
  const { snapshot, offset } = await placeOf(request, query, owner, context)
  const since = Number(decodeCursor(filters, request.changes_after, 'changes_after') ?? 0)
  const horizon = horizonOf(scope, snapshot.asOf)
  const { ledger, records } = await readLedger(owner, snapshot, context, {
    since: horizon.start,
    ...(since > 0 && { after: since }),
  })
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
  const page = all.slice(offset, offset + most)
  const hasMore = offset + most < all.length
  const next = [snapshot.seq, snapshot.asOf.toISOString(), offset + most].join(' ')
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
    materializations: [],
    receipts: [],
    pagination: { has_more: hasMore, total_count: all.length, ...(hasMore && { cursor: encodeCursor(query, next) }) },
  }
}

/** Where a walk stands: at the newest records, or where its cursor left off; the records and the moment stay those of its beginning. */
async function placeOf(
  request: Request,
  query: unknown,
  owner: ReportOwner,
  { tx, now }: Context,
): Promise<{ readonly snapshot: Snapshot; readonly offset: number }> {
  const known = decodeCursor(query, request.pagination?.cursor)
  if (known === undefined) return { snapshot: { seq: await newestRecord(tx, owner), asOf: now }, offset: 0 }
  const [, seq, asOf = '', offset] = /^(\d{1,9}) (\d{4}-\d\d-\d\dT[\d:.]{8,12}Z) (\d{1,9})$/.exec(known) ?? []
  if (seq === undefined || Number.isNaN(Date.parse(asOf)))
    throw new AdcpError('INVALID_REQUEST', 'the cursor does not belong to this query; start again without it', {
      field: 'pagination.cursor',
    })
  return { snapshot: { seq: Number(seq), asOf: new Date(asOf) }, offset: Number(offset) }
}

async function revisionView(request: Request, owner: ReportOwner, context: Context): Promise<object> {
  const found = await findRevision(context.tx, owner, request.reporting_revision_id ?? '')
  if (!found) return unavailable('revision')
  const query = ['get_reporting_status', owner, request.reporting_revision_id]
  const { snapshot, offset } = await placeOf(request, query, owner, context)
  const id = found.revision.reporting_revision_id
  const slice = await listRecords(context.tx, owner, { until: snapshot.seq, slices: [found.sliceId] })
  const chains = slice.flatMap((each) => (each.kind === 'obligation' ? [each.obligation.obligationId] : []))
  const said = await listRecords(context.tx, owner, { until: snapshot.seq, slices: chains })
  const all = [
    ...slice.filter((each) => each.kind === 'adjustment' && each.adjustment.adjusts_reporting_revision_id === id),
    ...said.filter((each) => each.kind === 'consumer_status' && each.statement.reporting_revision_id === id),
  ]
  const most = request.pagination?.max_results ?? DEFAULT_PAGE
  const hasMore = offset + most < all.length
  const page = all.slice(offset, offset + most)
  const next = [snapshot.seq, snapshot.asOf.toISOString(), offset + most].join(' ')
  return {
    view: 'revision',
    ledger_snapshot_id: snapshotId(owner, snapshot),
    ledger_as_of: snapshot.asOf.toISOString(),
    account_id: owner.accountId,
    revision: found.revision,
    adjustments: page.flatMap((each) => (each.kind === 'adjustment' ? [each.adjustment] : [])),
    consumer_statuses: page.flatMap((each) => (each.kind === 'consumer_status' ? [each.statement] : [])),
    materializations: [],
    receipts: [],
    pagination: { has_more: hasMore, total_count: all.length, ...(hasMore && { cursor: encodeCursor(query, next) }) },
  }
}

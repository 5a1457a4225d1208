import { DAY_MS } from '../../domain/calendar/instant.ts'
import type { Generation } from '../../domain/reporting/generation.ts'
import { ledgerOf, type ReportLedger, type RevisionOutline } from '../../domain/reporting/ledger.ts'
import { RETENTION_DAYS } from '../../domain/reporting/offering.ts'
import type { Period } from '../../domain/reporting/period-calendar.ts'
import { snapshotId } from '../../domain/reporting/snapshot.ts'
import { presentScope, type StatusScope, summaryOf } from '../../domain/reporting/status.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findMediaBuys } from '../../store/media-buy/media-buys.ts'
import { casesOf } from '../../store/reporting/cases.ts'
import { listGenerations, type ReportOwner } from '../../store/reporting/generations.ts'
import { listOutlines, newestRecord } from '../../store/reporting/records.ts'
import { periodsView } from './reporting-periods.ts'
import { revisionView } from './reporting-revision.ts'
import { atReportingClock, horizonOf, ownerOf, requireAccount, type StatusRequest, unavailable } from './reporting-walk.ts'

type Context = InTransaction<AuthenticatedContext>

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
  async handle(request, asked) {
    const owner = ownerOf(requireAccount(asked), asked.principal)
    const context = await atReportingClock(asked, owner)
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
    return request.view === 'summary'
      ? summaryView(scope, owner, { generations, context })
      : periodsView(request, scope, owner, context)
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

/** Of a question about a period, no record behind that is read. */
function until({ period }: StatusScope): { readonly before?: string } {
  return period ? { before: period.end } : {}
}

/** The scope with the default horizon as a bound of its obligations, but open: what comes next belongs to it. */
function recent<R extends RevisionOutline>(scope: StatusScope, ledger: ReportLedger<R>, horizon: Period): ReportLedger<R> {
  if (scope.period) return ledger
  return { ...ledger, obligations: ledger.obligations.filter(({ period }) => period.start >= horizon.start) }
}

async function summaryView(
  scope: StatusScope,
  owner: ReportOwner,
  { generations, context }: { readonly generations: readonly Generation[]; readonly context: Context },
): Promise<object> {
  const snapshot = { seq: await newestRecord(context.tx, owner), asOf: context.now }
  const horizon = horizonOf(scope, snapshot.asOf, generations)
  const range = { until: snapshot.seq, since: horizon.start, ...until(scope) }
  const records = await listOutlines(context.tx, owner, range)
  const ledger = ledgerOf(generations, records, snapshot.asOf, await casesOf(context.tx, owner))
  const seen = recent(scope, ledger, horizon)
  return {
    view: 'summary',
    ledger_snapshot_id: snapshotId(owner, snapshot),
    ledger_as_of: snapshot.asOf.toISOString(),
    account_id: owner.accountId,
    scope: presentScope(seen, scope, horizon),
    ...(await inTurns(summaryOf(seen, scope))),
  }
}

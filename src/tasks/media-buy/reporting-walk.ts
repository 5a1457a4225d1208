import type { AccountReference } from '@adcp/sdk/types'
import type { Account } from '../../domain/account/account.ts'
import { DAY_MS } from '../../domain/calendar/instant.ts'
import { decodeCursor } from '../../domain/cursor.ts'
import { type Generation, newestBoundary } from '../../domain/reporting/generation.ts'
import type { Finality } from '../../domain/reporting/offering.ts'
import type { Period } from '../../domain/reporting/period-calendar.ts'
import type { Snapshot } from '../../domain/reporting/snapshot.ts'
import type { Health, StatusScope } from '../../domain/reporting/status.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { ReportOwner } from '../../store/reporting/generations.ts'
import { findLab } from '../../store/reporting/labs.ts'
import { newestRecord } from '../../store/reporting/records.ts'

/** AdCP 3.2, media-buy/get-reporting-status-request.json. */
export interface StatusRequest {
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

/** Records of one page, unless the request says otherwise. */
export const DEFAULT_PAGE = 50

export function ownerOf({ tenantId, accountId }: Account, { principalId }: { readonly principalId: string }): ReportOwner {
  return { tenantId, principalId, accountId }
}

export function requireAccount({ account }: Pick<Context, 'account'>): Account {
  if (!account) throw new Error('the pipeline resolves a required account')
  return account
}

/** The context at the moment that the reports of an account are at: now, but for an account whose clock a conformance suite moves. */
export async function atReportingClock<C extends Context>(context: C, owner: ReportOwner): Promise<C> {
  const lab = context.principal.sandbox ? await findLab(context.tx, owner) : undefined
  return lab ? { ...context, now: new Date(lab.now) } : context
}

/** AdCP 3.2, get-reporting-status-response.json, "Unavailable lookup": the one answer for what is not there and what is not the caller's. */
export function unavailable(view: StatusRequest['view']): object {
  const error = { code: 'NOT_FOUND', message: 'Reporting status resource is unavailable.' }
  return { status: 'failed', view, failure_kind: 'lookup_unavailable', errors: [error] }
}

/** Where a walk stands: at the newest records, or where its cursor left off; the records and the moment stay those of its beginning. */
export async function placeOf(
  request: Pick<StatusRequest, 'pagination'>,
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

/** Without a period, reports of so many days are looked at (documented in docs/buyer.md). */
const HORIZON_DAYS = 35

/** What an answer looks at: the period that was asked for, else the last weeks up to the newest boundary. */
export function horizonOf({ period }: StatusScope, asOf: Date, generations: readonly Generation[]): Period {
  if (period) return period
  const end = newestBoundary(generations, asOf)
  return { start: new Date(end.getTime() - HORIZON_DAYS * DAY_MS).toISOString(), end: end.toISOString() }
}

import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'
import { differingOrders, orderKey } from './ad-server-drift.ts'

/** Never due: an order that is over at the ad server. */
export const NOT_DUE = '9999-01-01T00:00:00.000Z'

/** Asks for the reconciliation of a media buy with the ad servers that it is booked in, in the transaction that writes it. */
export async function requestOrders(
  tx: Db,
  owner: PrincipalRef,
  mediaBuyId: string,
  adServers: readonly string[],
  now: Date,
): Promise<void> {
  const at = now.toISOString()
  const { tenantId: tenant_id, principalId: principal_id } = owner
  for (const ad_server of new Set(adServers))
    await addOrder(tx, { tenant_id, media_buy_id: mediaBuyId, ad_server, principal_id, at })
}

const addOrder = hotQuery(['tenant_id', 'media_buy_id', 'ad_server', 'principal_id', 'at'], (tx, value) =>
  tx
    .insertInto('ad_server_orders')
    .values({
      tenant_id: value('tenant_id'),
      media_buy_id: value('media_buy_id'),
      ad_server: value('ad_server'),
      principal_id: value('principal_id'),
      requested: 1,
      applied: 0,
      due_at: value('at'),
      lease: '',
      lease_until: '',
      attempts: 0,
      reason: null,
      refused_since: null,
      refusal: null,
      written: null,
      attempted: null,
      observed_at: null,
      report_at: value('at'),
      reported_at: null,
      imports: 0,
      task_id: null,
      review: null,
    })
    .onConflict((c) => c.doNothing()),
)

/**
 * Requests another reconciliation of media buys that are reconciled, because they or their creatives changed. A row whose request is already due and not leased is left as it is: it holds the whole order, which may be
 * megabytes, and an update would write all of it again.
 */
export async function requestAgain(tx: Db, tenantId: string, mediaBuyIds: readonly string[], now: Date): Promise<void> {
  if (mediaBuyIds.length === 0) return
  const at = now.toISOString()
  await tx
    .updateTable('ad_server_orders')
    .set((e) => ({
      requested: e('requested', '+', 1),
      due_at: at,
      attempts: 0,
      refused_since: null,
      refusal: null,
    }))
    .where('tenant_id', '=', tenantId)
    .where('media_buy_id', 'in', mediaBuyIds)
    .where(({ eb, ref }) =>
      eb.or([
        eb('requested', '<=', ref('applied')),
        ...[eb('lease', '<>', ''), eb('due_at', '>', at), eb('attempts', '>', 0)],
        ...[eb('refused_since', 'is not', null), eb('refusal', 'is not', null)],
      ]),
    )
    .execute()
}

/** An order at an ad server as people see it. */
export interface AdServerOrder extends PrincipalRef {
  readonly mediaBuyId: string
  readonly adServer: string
  /** Whether the ad server was seen to have what is wanted since the last change; what someone there added besides makes no difference. */
  readonly inStep: boolean
  readonly attempts: number
  readonly reason: string | undefined
  /** Since when the ad server refuses it, ISO 8601 UTC. */
  readonly refusedSince: string | undefined
  /** Whether anything of it was ever brought there. */
  readonly isThere: boolean
  readonly observedAt: string | undefined
  readonly dueAt: string
}

/** Orders of a publisher at its ad servers, those that are not as they should be first; `limit` at most. */
export async function listAdServerOrders(
  db: Db,
  tenantId: string,
  filter: {
    readonly mediaBuyId?: string | undefined
    readonly adServer?: string | undefined
    readonly waiting?: boolean
    readonly limit: number
  },
): Promise<AdServerOrder[]> {
  const { mediaBuyId, adServer, waiting, limit } = filter
  let query = db.selectFrom('ad_server_orders').selectAll().where('tenant_id', '=', tenantId)
  if (mediaBuyId !== undefined) query = query.where('media_buy_id', '=', mediaBuyId)
  if (adServer !== undefined) query = query.where('ad_server', '=', adServer)
  if (waiting) query = query.where((e) => e.or([e('reason', 'is not', null), e('applied', '<', e.ref('requested'))]))
  const rows = await query.orderBy('attempts', 'desc').orderBy('media_buy_id').orderBy('ad_server').limit(limit).execute()
  const differing = await differingOrders(db, tenantId, rows)
  return rows.map((row) => ({
    tenantId: row.tenant_id,
    principalId: row.principal_id,
    mediaBuyId: row.media_buy_id,
    adServer: row.ad_server,
    inStep: row.applied === row.requested && row.reason === null && !differing.has(orderKey(row)),
    attempts: row.attempts,
    reason: row.reason ?? undefined,
    refusedSince: row.refused_since ?? undefined,
    isThere: row.written !== null,
    observedAt: row.observed_at ?? undefined,
    dueAt: row.due_at,
  }))
}

/** Orders that ad servers of a publisher refuse, `limit` at most. */
export async function listRefusedOrders(db: Db, tenantId: string, limit: number) {
  const rows = await db
    .selectFrom('ad_server_orders')
    .select(['media_buy_id', 'ad_server', 'principal_id', 'refusal', 'refused_since', 'written'])
    .where('tenant_id', '=', tenantId)
    .where('refused_since', 'is not', null)
    .where('refusal', 'is not', null)
    .orderBy('refused_since')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    mediaBuyId: row.media_buy_id,
    adServer: row.ad_server,
    principalId: row.principal_id,
    refusal: row.refusal ?? '',
    refusedSince: row.refused_since ?? '',
    isThere: row.written !== null,
  }))
}

/** Gives a refused order its full time again: a person tries it anew. */
export async function restartRefusals(tx: Db, tenantId: string, mediaBuyId: string): Promise<void> {
  await tx
    .updateTable('ad_server_orders')
    .set({ refused_since: null })
    .where('tenant_id', '=', tenantId)
    .where('media_buy_id', '=', mediaBuyId)
    .execute()
}

/** Makes the orders of an ad server due now, or, for one that is just being reconciled, as soon as that has ended. Gives their number. */
export async function makeDue(
  tx: Db,
  tenantId: string,
  { adServer, mediaBuyId }: { readonly adServer?: string | undefined; readonly mediaBuyId?: string | undefined },
  now: Date,
): Promise<number> {
  let query = tx
    .updateTable('ad_server_orders')
    .set((e) => ({
      // A look that has begun may have read what was there before: it has to see that there is something newer.
      requested: e('requested', '+', 1),
      applied: e('applied', '+', 1),
      due_at: now.toISOString(),
      report_at: now.toISOString(),
    }))
    .where('tenant_id', '=', tenantId)
    .where('due_at', '<', NOT_DUE)
  if (adServer !== undefined) query = query.where('ad_server', '=', adServer)
  if (mediaBuyId !== undefined) query = query.where('media_buy_id', '=', mediaBuyId)
  const { numUpdatedRows } = await query.executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Ids of media buys at an ad server that are not over there; `limit` at most. */
export async function openOrdersAt(db: Db, tenantId: string, adServer: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('ad_server_orders')
    .select('media_buy_id')
    .where('tenant_id', '=', tenantId)
    .where('ad_server', '=', adServer)
    .where((e) => e.or([e('due_at', '<', NOT_DUE), e('report_at', '<', NOT_DUE)]))
    .orderBy('media_buy_id')
    .limit(limit)
    .execute()
  return rows.map(({ media_buy_id }) => media_buy_id)
}

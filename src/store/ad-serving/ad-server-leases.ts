import type { Selectable } from 'kysely'
import type { DesiredOrder } from '../../domain/ad-serving/desired-order.ts'
import type { ReviewState } from '../../domain/ad-serving/observed-order.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { Db, Store } from '../database.ts'
import { changeRow, later, takeLeases, takeRow } from '../leases.ts'
import { NOT_DUE } from './ad-server-orders.ts'
import type { AdServerOrderTables } from './rows.ts'

type Row = Selectable<AdServerOrderTables['ad_server_orders']>

/** An order that this process may reconcile until its lease ends. */
export interface LeasedOrder extends PrincipalRef {
  readonly mediaBuyId: string
  readonly adServer: string
  readonly lease: string
  /** When another process may take it, ISO 8601. */
  readonly leaseUntil: string
  readonly requested: number
  /** What of it the ad server was seen to have. */
  readonly applied: number
  readonly attempts: number
  /** Since when the ad server refuses it, ISO 8601 UTC. */
  readonly refusedSince: string | undefined
  readonly written: DesiredOrder | undefined
  /** What was begun to be written since, and not completed; the newest last. */
  readonly attempted: readonly DesiredOrder[]
  /** Undefined: no approval was waited for. */
  readonly review: ReviewState | undefined
}

/** Leases orders that are due, the longest due first. Several processes may ask at once; each order goes to one of them. */
export async function leaseOrders(
  store: Store,
  { now, leaseMs, limit }: { readonly now: Date; readonly leaseMs: number; readonly limit: number },
): Promise<LeasedOrder[]> {
  const at = now.toISOString()
  const due = await store.read
    .selectFrom('ad_server_orders')
    .selectAll()
    .where('due_at', '<=', at)
    .where('lease_until', '<=', at)
    .orderBy('due_at')
    .limit(limit)
    .execute()
  const take = async (tx: Db, row: Row, lease: string) => {
    const { tenant_id, media_buy_id, ad_server, lease: last, lease_until } = row
    const seen = { tenant_id, media_buy_id, ad_server, lease: last, lease_until }
    const taken = await takeRow(tx, 'ad_server_orders', seen, { lease, lease_until: later(now, leaseMs) })
    return taken && leasedOrder(taken)
  }
  // A lease that a crash of the machine forgets is taken again.
  return takeLeases(store, due, take, { durability: 'lazy' })
}

/** What is written about an order while it is leased, or when the lease is given back. */
export type OrderChange = Partial<
  Pick<
    AdServerOrderTables['ad_server_orders'],
    'applied' | 'attempts' | 'reason' | 'refused_since' | 'refusal' | 'written' | 'attempted' | 'observed_at'
  >
>

/** Writes about a leased order and extends its lease. False when the lease has gone to another process: nothing more may be sent. */
export async function keepLease(tx: Db, order: LeasedOrder, until: Date, change: OrderChange = {}): Promise<boolean> {
  const { tenantId, mediaBuyId, adServer, lease } = order
  const held = { tenant_id: tenantId, media_buy_id: mediaBuyId, ad_server: adServer, lease }
  return changeRow(tx, 'ad_server_orders', held, { ...change, lease_until: until.toISOString() })
}

/** Gives a lease back. The order is due at `dueAt`, or at once when something changed meanwhile. */
export async function releaseOrder(tx: Db, order: LeasedOrder, dueAt: Date | undefined, change: OrderChange): Promise<void> {
  const next = dueAt?.toISOString() ?? NOT_DUE
  await leasedRow(tx, order)
    .set((e) => ({
      ...change,
      lease: '',
      lease_until: '',
      due_at: e.case().when('requested', '=', order.requested).then(next).else(e.ref('due_at')).end(),
    }))
    .execute()
}

function leasedOrder(row: Row): LeasedOrder {
  return {
    tenantId: row.tenant_id,
    principalId: row.principal_id,
    mediaBuyId: row.media_buy_id,
    adServer: row.ad_server,
    lease: row.lease,
    leaseUntil: row.lease_until,
    requested: row.requested,
    applied: row.applied,
    attempts: row.attempts,
    refusedSince: row.refused_since ?? undefined,
    written: row.written === null ? undefined : JSON.parse(row.written),
    attempted: row.attempted === null ? [] : attemptsOf(JSON.parse(row.attempted)),
    review: row.review ?? undefined,
  }
}

/** Stores of before kept the last attempt alone, not in a list. */
function attemptsOf(stored: DesiredOrder | readonly DesiredOrder[]): readonly DesiredOrder[] {
  return 'key' in stored ? [stored] : stored
}

function leasedRow(tx: Db, { tenantId, mediaBuyId, adServer, lease }: LeasedOrder) {
  return tx
    .updateTable('ad_server_orders')
    .where('tenant_id', '=', tenantId)
    .where('media_buy_id', '=', mediaBuyId)
    .where('ad_server', '=', adServer)
    .where('lease', '=', lease)
}

/** Changes what is remembered as brought to an ad server, or about to be; undefined: nothing of it. */
export async function forgetWritten(
  tx: Db,
  at: { readonly tenantId: string; readonly mediaBuyId: string; readonly adServer: string },
  change: (order: DesiredOrder) => DesiredOrder | undefined,
): Promise<void> {
  const row = await tx
    .selectFrom('ad_server_orders')
    .select(['written', 'attempted'])
    .where('tenant_id', '=', at.tenantId)
    .where('media_buy_id', '=', at.mediaBuyId)
    .where('ad_server', '=', at.adServer)
    .executeTakeFirst()
  if (!row) return
  const written = row.written === null ? undefined : change(JSON.parse(row.written))
  const attempted = row.attempted === null ? [] : attemptsOf(JSON.parse(row.attempted)).flatMap((order) => change(order) ?? [])
  await tx
    .updateTable('ad_server_orders')
    .set({
      written: written ? JSON.stringify(written) : null,
      attempted: attempted.length > 0 ? JSON.stringify(attempted) : null,
    })
    .where('tenant_id', '=', at.tenantId)
    .where('media_buy_id', '=', at.mediaBuyId)
    .where('ad_server', '=', at.adServer)
    .execute()
}

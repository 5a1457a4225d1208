import type { DeliveryRow } from '../../domain/ad-serving/delivery-row.ts'
import type { OrderKey } from '../../domain/ad-serving/desired-order.ts'
import type { ManualOrder, ManualOrders } from '../../domain/ad-serving/manual-order.ts'
import type { Metrics } from '../../domain/media-buy/delivery.ts'
import type { Db, Store } from '../database.ts'

/** The orders of one ad server without an API. */
export function storedManualOrders(store: Store, adServer: string): ManualOrders {
  return {
    find: (order) => findManualOrder(store.read, adServer, order),
    change: (order, change) =>
      store.transaction(async (tx) => {
        const after = change(await findManualOrder(tx, adServer, order))
        if (after) await saveManualOrder(tx, adServer, after)
      }),
    delivery: (tenantId, orderIds, since) => listManualDelivery(store.read, { tenantId, adServer, orderIds, since }),
  }
}

/** An order at an ad server without an API; undefined: there is none of this key. */
export async function findManualOrder(db: Db, adServer: string, key: OrderKey): Promise<ManualOrder | undefined> {
  const row = await db
    .selectFrom('manual_orders')
    .select('document')
    .where('tenant_id', '=', key.tenantId)
    .where('ad_server', '=', adServer)
    .where('order_id', '=', key.externalId)
    .executeTakeFirst()
  return row && JSON.parse(row.document)
}

/** Writes an order in the place of the one that was there. */
export async function saveManualOrder(tx: Db, adServer: string, order: ManualOrder): Promise<void> {
  const { tenantId, externalId } = order.key
  const document = JSON.stringify(order)
  await tx
    .insertInto('manual_orders')
    .values({ tenant_id: tenantId, ad_server: adServer, order_id: externalId, document })
    .onConflict((c) => c.columns(['tenant_id', 'ad_server', 'order_id']).doUpdateSet({ document }))
    .execute()
}

/** Orders of a publisher at an ad server without an API, by id; `limit` at most, those after `after`. */
export async function listManualOrders(
  db: Db,
  { tenantId, adServer, after, limit }: { tenantId: string; adServer: string; after: string; limit: number },
): Promise<ManualOrder[]> {
  const rows = await db
    .selectFrom('manual_orders')
    .select('document')
    .where('tenant_id', '=', tenantId)
    .where('ad_server', '=', adServer)
    .where('order_id', '>', after)
    .orderBy('order_id')
    .limit(limit)
    .execute()
  return rows.map(({ document }) => JSON.parse(document))
}

interface DeliveryQuery {
  readonly tenantId: string
  readonly adServer: string
  readonly orderIds: readonly string[]
  /** First UTC day, `YYYY-MM-DD`. */
  readonly since: string
}

/** What people reported of orders, a row a line and day. */
export async function listManualDelivery(db: Db, { tenantId, adServer, orderIds, since }: DeliveryQuery): Promise<DeliveryRow[]> {
  if (orderIds.length === 0) return []
  const rows = await db
    .selectFrom('manual_delivery')
    .select(['line_id', 'day', 'metrics'])
    .where('tenant_id', '=', tenantId)
    .where('ad_server', '=', adServer)
    .where('order_id', 'in', orderIds)
    .where('day', '>=', since)
    .orderBy('line_id')
    .orderBy('day')
    .execute()
  return rows.map(({ line_id, day, metrics }) => ({ ...JSON.parse(metrics), lineExternalId: line_id, period: day }))
}

/** What a line delivered on a UTC day. */
export interface ManualDay {
  readonly order: OrderKey
  readonly lineId: string
  readonly day: string
  readonly metrics: Metrics
}

/** Writes what people reported, in the place of what was reported of the same line and day before. */
export async function saveManualDelivery(tx: Db, adServer: string, days: readonly ManualDay[]): Promise<void> {
  for (const { order, lineId, day, metrics } of days) {
    const values = { metrics: JSON.stringify(metrics) }
    const key = { tenant_id: order.tenantId, ad_server: adServer, order_id: order.externalId, line_id: lineId, day }
    await tx
      .insertInto('manual_delivery')
      .values({ ...key, ...values })
      .onConflict((c) => c.columns(['tenant_id', 'ad_server', 'order_id', 'line_id', 'day']).doUpdateSet(values))
      .execute()
  }
}

import type { MakeGood } from '../../domain/media-buy/make-good-terms.ts'
import { type AdoptedLine, readableLine } from '../../domain/order/adopted-line.ts'
import { chunksInTurns, chunksOf, ORDERS } from '../chunks.ts'
import type { Db } from '../database.ts'
import { findOrderRow, type OrderRow } from './orders.ts'

/** What is kept of an adopted order beside its columns. */
export interface AdoptedOrder {
  /** The ad server's own id. */
  readonly id: string
  /** Who read it from the ad server when, the oldest first: how the audit log names the credential, and ISO 8601 UTC. */
  readonly adoptions: readonly { readonly at: string; readonly person: string }[]
  readonly makeGoods?: readonly MakeGood[]
}

/** What an adopted order begins with as the key of its delivery; lines too. */
export const ADOPTED = 'adopted:'

/** What an order of an ad server is in the book: its `external_id`. */
export function adoptedKey(adServer: string, orderId: string): string {
  return `${ADOPTED}${adServer}/${orderId}`
}

/** What a line of an ad server is in the ledger, by the id of its order here: some ad servers number the lines of each order alone. */
export function adoptedLineKey(adServer: string, orderId: string, lineId: string): string {
  return `${ADOPTED}${adServer}/${encodeURIComponent(orderId)}/${lineId}`
}

/** Whether a key of a line is one of another order. */
export async function isLineOfOther(db: Db, tenantId: string, orderId: string, keys: readonly string[]): Promise<boolean> {
  for (const some of chunksOf(keys)) {
    const row = await db
      .selectFrom('order_lines')
      .select('line_id')
      .where('tenant_id', '=', tenantId)
      .where('line_id', 'in', some)
      .where('order_id', '<>', orderId)
      .limit(1)
      .executeTakeFirst()
    if (row) return true
  }
  return false
}

/** What is kept of an adopted order. */
export function adoptedOrderOf({ document }: Pick<OrderRow, 'document'>): AdoptedOrder {
  return JSON.parse(document)
}

/** An order that was adopted, by its id; undefined: there is none, or it has another origin. */
export async function findAdoptedOrder(db: Db, tenantId: string, orderId: string): Promise<OrderRow | undefined> {
  const row = await findOrderRow(db, tenantId, orderId)
  return row?.origin === 'adopted' ? row : undefined
}

/** Adopted orders of a publisher, or the one of an id, as reports have them; at most `limit`. */
export function adoptedOrdersOf(db: Db, tenantId: string, orderId: string | undefined, limit: number) {
  let query = db
    .selectFrom('orders')
    .select(['order_id', 'ad_server', 'external_id'])
    .where('tenant_id', '=', tenantId)
    .where('origin', '=', 'adopted')
  if (orderId !== undefined) query = query.where('order_id', '=', orderId)
  return query.orderBy('order_id').limit(limit).execute()
}

/** The ids here of orders of an ad server that were adopted, by the ad server's own ids. */
export async function adoptedIds(
  db: Db,
  tenantId: string,
  adServer: string,
  orderIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  const keys = new Map(orderIds.map((id) => [adoptedKey(adServer, id), id]))
  for (const some of chunksOf([...keys.keys()])) {
    const rows = await db
      .selectFrom('orders')
      .select(['order_id', 'external_id'])
      .where('tenant_id', '=', tenantId)
      .where('external_id', 'in', some)
      .execute()
    for (const row of rows) found.set(keys.get(row.external_id) ?? '', row.order_id)
  }
  return found
}

/** A line of an adopted order, with the order that it is of. */
export interface AdoptedLineRow {
  readonly order: OrderRow
  /** As the ledger has it. */
  readonly lineId: string
  readonly line: AdoptedLine
}

/** Which lines are wanted: of some orders, or of those that end after a moment; at most `limit` orders. */
export type WantedLines = { readonly orderIds: readonly string[] } | { readonly endsAfter: Date; readonly limit: number }

/** Lines of adopted orders, by the end of their order. */
export async function listAdoptedLines(db: Db, tenantId: string, wanted: WantedLines): Promise<AdoptedLineRow[]> {
  const orders: OrderRow[] = []
  const all = () => db.selectFrom('orders').selectAll().where('tenant_id', '=', tenantId).where('origin', '=', 'adopted')
  if ('orderIds' in wanted)
    for (const ids of chunksOf([...new Set(wanted.orderIds)]))
      orders.push(...(await all().where('order_id', 'in', ids).execute()))
  else
    orders.push(
      ...(await all()
        .where('ends_at', '>', wanted.endsAfter.toISOString())
        .orderBy('ends_at')
        .orderBy('order_id')
        .limit(wanted.limit)
        .execute()),
    )
  const byId = new Map(orders.map((order) => [order.order_id, { ...order, budget_micros: Number(order.budget_micros) }]))
  const lines: AdoptedLineRow[] = []
  for await (const ids of chunksInTurns([...byId.keys()], ORDERS)) {
    const rows = await db
      .selectFrom('order_lines')
      .select(['order_id', 'line_id', 'document'])
      .where('tenant_id', '=', tenantId)
      .where('order_id', 'in', ids)
      .orderBy('line_id')
      .execute()
    for (const { order_id: orderId, line_id: lineId, document } of rows) {
      const order = byId.get(orderId)
      if (order) lines.push({ order, lineId, line: readableLine(JSON.parse(document), order.created_at) })
    }
  }
  return lines
}

/** Lines of adopted orders by the keys of their orders at the ad server, for reports of what they delivered. */
export async function adoptedLinesAt(db: Db, tenantId: string, keys: readonly string[]): Promise<AdoptedLineRow[]> {
  const ids: string[] = []
  for (const some of chunksOf(keys)) {
    const rows = await db
      .selectFrom('orders')
      .select('order_id')
      .where('tenant_id', '=', tenantId)
      .where('external_id', 'in', some)
      .execute()
    ids.push(...rows.map(({ order_id: id }) => id))
  }
  return listAdoptedLines(db, tenantId, { orderIds: ids })
}

/** Writes what is kept of an adopted order beside its columns. */
export async function saveAdopted(tx: Db, tenantId: string, orderId: string, adopted: AdoptedOrder): Promise<void> {
  await tx
    .updateTable('orders')
    .set({ document: JSON.stringify(adopted) })
    .where('tenant_id', '=', tenantId)
    .where('order_id', '=', orderId)
    .where('origin', '=', 'adopted')
    .execute()
}

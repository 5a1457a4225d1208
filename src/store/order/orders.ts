import type { Selectable } from 'kysely'
import { nextMonth } from '../../domain/billing/billing-lines.ts'
import type { AdoptedLine } from '../../domain/order/adopted-line.ts'
import type { LinePricing } from '../../domain/order/line-pricing.ts'
import { BESIDE_NAME } from '../../domain/order/order-terms.ts'
import { moveTotalsOfOrders } from '../ad-serving/delivery-sums.ts'
import { lastClosedMonth } from '../billing/counted-zone.ts'
import { chunksOf, readChunks } from '../chunks.ts'
import type { Db } from '../database.ts'
import { wasCharged } from './charged-orders.ts'
import type { OrderTables } from './rows.ts'

export type OrderRow = Selectable<OrderTables['orders']>
export type OrderLineRow = Selectable<OrderTables['order_lines']>

/** An order as it is written; what the ledger counts of it and the month from which it is billed stay. */
export type WrittenOrder = Omit<OrderRow, 'tenant_id' | 'created_at' | 'billed_from' | 'imports'>

/**
 * Writes an order that people entered or adopted, or changes the one of this id, and asks for a report of it. Lines that it no longer has stay as what they delivered.
 * `billedFrom`: the first month that is billed of a new one, `YYYY-MM`; of one that cost nobody money until now, it is the first month that is not closed. The totals follow where what they are kept by has
 * changed.
 */
export async function putOrder(
  tx: Db,
  tenantId: string,
  order: WrittenOrder,
  lines: readonly Omit<OrderLineRow, 'tenant_id' | 'order_id'>[],
  now: Date,
  billedFrom = '',
): Promise<void> {
  const { order_id: orderId } = order
  const known = await findOrderRow(tx, tenantId, orderId)
  if (known) await moveTotalsOfOrders(tx, tenantId, [orderId], -1)
  const { order_id: _id, ...columns } = order
  await tx
    .insertInto('orders')
    .values({ tenant_id: tenantId, ...order, created_at: now.toISOString(), billed_from: billedFrom, imports: 0 })
    .onConflict((c) => c.columns(['tenant_id', 'order_id']).doUpdateSet(columns))
    .execute()
  for (const chunk of chunksOf(lines))
    await tx
      .insertInto('order_lines')
      .values(chunk.map((line) => ({ tenant_id: tenantId, order_id: orderId, ...line })))
      .onConflict((c) =>
        c
          .columns(['tenant_id', 'line_id'])
          .doUpdateSet((e) => ({ product_id: e.ref('excluded.product_id'), document: e.ref('excluded.document') })),
      )
      .execute()
  if (known) await moveTotalsOfOrders(tx, tenantId, [orderId], 1)
  if (known?.party !== '' || order.party === '' || (await wasCharged(tx, tenantId, orderId))) return
  const closed = await lastClosedMonth(tx, tenantId)
  if (closed === undefined || known.billed_from > closed) return
  const from = { billed_from: nextMonth(closed) }
  await tx.updateTable('orders').set(from).where('tenant_id', '=', tenantId).where('order_id', '=', orderId).execute()
}

/** An order that people entered, by its id. */
export async function findOrderRow(db: Db, tenantId: string, orderId: string): Promise<OrderRow | undefined> {
  const row = await db
    .selectFrom('orders')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('order_id', '=', orderId)
    .executeTakeFirst()
  return row && orderRowOf(row)
}

/** A row as it was read: PostgreSQL gives large integers as text. */
export function orderRowOf(row: OrderRow): OrderRow {
  return { ...row, budget_micros: Number(row.budget_micros) }
}

/** Whether an order that people entered is billed to a party. */
export async function isPartyOfOrders(db: Db, tenantId: string, party: string): Promise<boolean> {
  const row = await db
    .selectFrom('orders')
    .select('order_id')
    .where('tenant_id', '=', tenantId)
    .where('party', '=', party)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Who pays now for orders that people entered, by order; '': nobody. */
export async function partiesOfOrders(
  db: Db,
  tenantId: string,
  orderIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await readChunks([...new Set(orderIds)], (ids) =>
    db
      .selectFrom('orders')
      .select(['order_id', 'party'])
      .where('tenant_id', '=', tenantId)
      .where('order_id', 'in', ids)
      .execute(),
  )
  return new Map(rows.map(({ order_id: id, party }) => [id, party]))
}

/** The keys of parties whose name an earlier party has too. */
export async function listOtherParties(db: Db, tenantId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('orders')
    .select('party')
    .distinct()
    .where('tenant_id', '=', tenantId)
    .where('party', 'like', `%${BESIDE_NAME}%`)
    .execute()
  return rows.map(({ party }) => party)
}

/** Whether a buyer's order has this id. */
export async function isOrderOfBuyer(db: Db, tenantId: string, orderId: string): Promise<boolean> {
  const row = await db
    .selectFrom('media_buys')
    .select('media_buy_id')
    .where('tenant_id', '=', tenantId)
    .where('media_buy_id', '=', orderId)
    .executeTakeFirst()
  return row !== undefined
}

/** The first month that is billed of each order of a publisher that was there before it was in the ledger, by order. */
export async function billedFrom(db: Db, tenantId: string): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('orders')
    .select(['order_id', 'billed_from'])
    .where('tenant_id', '=', tenantId)
    .where('billed_from', '<>', '')
    .execute()
  return new Map(rows.map((row) => [row.order_id, row.billed_from]))
}

/** A line with the order that it is of, for those who bill it. */
export interface BookedLine {
  readonly orderId: string
  readonly lineId: string
  /** Of a line that sells no product. */
  readonly lineName?: string
  readonly orderName: string
  readonly advertiser: string
  /** Who pays for the order now. */
  readonly party: string
  readonly currency: string
  readonly pricing: LinePricing
}

/** The lines of orders that people entered. */
export async function listBookedLines(db: Db, tenantId: string, orderIds: readonly string[]): Promise<BookedLine[]> {
  const lines: BookedLine[] = []
  for (const ids of chunksOf(orderIds)) {
    const rows = await db
      .selectFrom('order_lines as l')
      .innerJoin('orders as o', (j) => j.onRef('o.tenant_id', '=', 'l.tenant_id').onRef('o.order_id', '=', 'l.order_id'))
      .select(['l.line_id', 'l.order_id', 'l.document', 'o.name', 'o.advertiser', 'o.party', 'o.currency'])
      .where('l.tenant_id', '=', tenantId)
      .where('l.order_id', 'in', ids)
      .execute()
    for (const { line_id: lineId, order_id: orderId, document, name: orderName, advertiser, party, currency } of rows) {
      const { booked, ...pricing }: LinePricing & Partial<AdoptedLine> = JSON.parse(document)
      lines.push({ lineId, orderId, orderName, advertiser, party, currency, pricing, ...(booked && { lineName: booked.name }) })
    }
  }
  return lines
}

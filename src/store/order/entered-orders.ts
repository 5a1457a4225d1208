import { expressionBuilder, sql } from 'kysely'
import type { OrderOrigin } from '../../domain/order/order-origin.ts'
import type { Db } from '../database.ts'
import { type AskedOrders, conditionsOf, type OrderConditions } from '../media-buy/asked-orders.ts'
import { likeLiteral } from '../media-buy/order-filter.ts'
import type { OrderPage } from '../media-buy/order-list.ts'
import type { Tables } from '../tables.ts'
import { type OrderRow, orderRowOf } from './orders.ts'

/** Orders that people entered or adopted (`origins`), `limit` at most, after a position: from an index of the list's order. */
export async function listEnteredOrders(
  db: Db,
  tenantId: string,
  asked: AskedOrders,
  page: OrderPage,
  origins: readonly OrderOrigin[],
): Promise<OrderRow[]> {
  const { sort, descending, after, limit } = page
  const direction = descending ? 'desc' : 'asc'
  let query = db
    .selectFrom('orders')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where(sql<boolean>`origin in (${sql.join(origins)})`)
  for (const condition of conditionsOf(asked, CONDITIONS)) query = query.where(condition)
  if (after) {
    const beyond = sql.raw(descending ? '<' : '>')
    query = query.where(sql<boolean>`(${sql.ref(sort)}, order_id) ${beyond} (${after.value}, ${after.mediaBuyId})`)
  }
  const rows = await query.orderBy(sort, direction).orderBy('order_id', direction).limit(limit).execute()
  return rows.map(orderRowOf)
}

const eb = expressionBuilder<Tables, 'orders'>()
const CONDITIONS: OrderConditions = {
  buyer: () => sql<boolean>`1 = 0`,
  account: (party) => eb('party', '=', party),
  product: isOfProduct,
  advertiser: (advertiser) => eb('advertiser', '=', advertiser),
  from: (from) => eb('ends_at', '>', from),
  until: (until) => eb('starts_at', '<', until),
  endsBefore: (end) => eb('ends_at', '<=', end),
  word: (word) => isFoundBy(`%${likeLiteral(word)}%`),
}

/** By words of its own, or by the purchase order that its terms have. */
function isFoundBy(pattern: string) {
  return sql<boolean>`(search like ${pattern} escape '\\' or exists (select 1 from order_terms t where t.tenant_id = orders.tenant_id
    and t.order_id = orders.order_id and lower(t.purchase_order) like ${pattern} escape '\\'))`
}

function isOfProduct(productId: string) {
  return sql<boolean>`exists (select 1 from order_lines l
    where l.tenant_id = orders.tenant_id and l.order_id = orders.order_id and l.product_id = ${productId})`
}

/** A line of an order, as the ledger has it, and its product. */
export interface EnteredLine {
  readonly lineId: string
  readonly productId: string
}

/** Lines of orders, by order. */
export async function linesOfEnteredOrders(
  db: Db,
  tenantId: string,
  orderIds: readonly string[],
): Promise<ReadonlyMap<string, readonly EnteredLine[]>> {
  const lines = new Map<string, EnteredLine[]>()
  if (orderIds.length === 0) return lines
  const rows = await db
    .selectFrom('order_lines')
    .select(['order_id', 'line_id', 'product_id'])
    .where('tenant_id', '=', tenantId)
    .where('order_id', 'in', orderIds)
    .orderBy('line_id')
    .execute()
  for (const { order_id, line_id: lineId, product_id: productId } of rows) {
    const list = lines.get(order_id) ?? []
    lines.set(order_id, list)
    list.push({ lineId, productId })
  }
  return lines
}

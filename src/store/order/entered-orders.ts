import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { likeLiteral } from '../media-buy/order-filter.ts'
import type { OrderPage } from '../media-buy/order-list.ts'
import { type OrderRow, orderRowOf } from './orders.ts'
import type { OrderOrigin } from './rows.ts'

/** What narrows the list of orders that people entered; all that is given must hold. */
export interface BookFilter {
  readonly origins?: readonly OrderOrigin[] | undefined
  readonly advertiser?: string | undefined
  readonly party?: string | undefined
  readonly productId?: string | undefined
  /** Words in small letters that the order must all be found by. */
  readonly words?: readonly string[] | undefined
  /** Only orders whose flight touches these moments, ISO 8601 UTC; `until` is exclusive. */
  readonly from?: string | undefined
  readonly until?: string | undefined
  /** Only orders whose flight ends by then. */
  readonly endsBefore?: string | undefined
}

/** Orders that people entered, `limit` at most, after a position: from an index of the list's order. */
export async function listBook(db: Db, tenantId: string, filter: BookFilter, page: OrderPage): Promise<OrderRow[]> {
  const { sort, descending, after, limit } = page
  const { origins, advertiser, party, productId, words = [], from, until, endsBefore } = filter
  const direction = descending ? 'desc' : 'asc'
  let query = db.selectFrom('orders').selectAll().where('tenant_id', '=', tenantId)
  if (origins) query = query.where(sql<boolean>`origin in (${sql.join(origins)})`)
  if (advertiser !== undefined) query = query.where('advertiser', '=', advertiser)
  if (party !== undefined) query = query.where('party', '=', party)
  if (from !== undefined) query = query.where('ends_at', '>', from)
  if (endsBefore !== undefined) query = query.where('ends_at', '<=', endsBefore)
  if (until !== undefined) query = query.where('starts_at', '<', until)
  if (productId !== undefined) query = query.where(isOfProduct(productId))
  for (const word of words) query = query.where(isFoundBy(`%${likeLiteral(word)}%`))
  if (after) {
    const beyond = sql.raw(descending ? '<' : '>')
    query = query.where(sql<boolean>`(${sql.ref(sort)}, order_id) ${beyond} (${after.value}, ${after.mediaBuyId})`)
  }
  const rows = await query.orderBy(sort, direction).orderBy('order_id', direction).limit(limit).execute()
  return rows.map(orderRowOf)
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
export interface BookLine {
  readonly lineId: string
  readonly productId: string
}

/** Lines of orders, by order. */
export async function linesOfBook(
  db: Db,
  tenantId: string,
  orderIds: readonly string[],
): Promise<ReadonlyMap<string, readonly BookLine[]>> {
  const lines = new Map<string, BookLine[]>()
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

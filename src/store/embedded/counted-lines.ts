import type { Db } from '../database.ts'
import { sortRows } from '../sort-rows.ts'
import { type EmbeddedLineRow, type EmbeddedOrderRow, lineOf } from './orders.ts'

/** A line with its order, and its impressions so far without those of bots. */
export interface CountedLine extends EmbeddedLineRow {
  readonly order: EmbeddedOrderRow
  readonly impressions: number
}

/** Lines of orders whose anchor begins with a text: of some orders, or those that end in a stretch of time (`until` exclusive), by their ends. At most `limit`. */
export async function listCountedLines(
  db: Db,
  tenantId: string,
  {
    prefix,
    orderIds,
    from,
    until,
    limit,
  }: {
    readonly prefix: string
    readonly orderIds?: readonly string[]
    readonly from?: Date
    readonly until?: Date
    readonly limit: number
  },
): Promise<CountedLine[]> {
  if (orderIds?.length === 0) return []
  let query = db
    .selectFrom('embedded_lines as l')
    .innerJoin('embedded_orders as o', (j) => j.onRef('o.tenant_id', '=', 'l.tenant_id').onRef('o.order_id', '=', 'l.order_id'))
    .leftJoin('embedded_totals as t', (j) =>
      j.onRef('t.tenant_id', '=', 'l.tenant_id').onRef('t.line_id', '=', 'l.line_id').on('t.kind', '=', 'impression'),
    )
    .selectAll('l')
    .select(['o.anchor as order_anchor', 'o.state as order_state', 'o.document as order_document', 't.events'])
    .where('l.tenant_id', '=', tenantId)
    .where('o.anchor', '>', prefix)
    // The character after every other of the anchors.
    .where('o.anchor', '<', `${prefix}~`)
  if (orderIds) query = query.where('l.order_id', 'in', orderIds)
  if (from) query = query.where('l.ends_at', '>', from.toISOString())
  if (until) query = query.where('l.ends_at', '<=', until.toISOString())
  const rows = await query.orderBy('l.ends_at').orderBy('l.line_id').limit(limit).execute()
  return sortRows(rows, 'ends_at', 'line_id').map((row) => ({
    ...lineOf(row),
    order: { orderId: row.order_id, anchor: row.order_anchor, state: row.order_state, document: row.order_document },
    impressions: Number(row.events ?? 0),
  }))
}

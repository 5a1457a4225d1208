import { sql } from 'kysely'
import { mapSteps } from '../../platform/concurrency/steps.ts'
import { inTurns, yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { forEachChunk } from '../chunks.ts'
import type { Db } from '../database.ts'
import { sortRows } from '../sort-rows.ts'
import { type EmbeddedLineRow, type EmbeddedOrderRow, lineOf } from './orders.ts'

/** A line with its order, its impressions so far without those of bots, and whether it has anything to show. */
export interface CountedLine extends EmbeddedLineRow {
  readonly order: EmbeddedOrderRow
  readonly impressions: number
  readonly hasCreatives: boolean
}

/** Lines that one statement reads: some ten milliseconds. */
const LINES_AT_ONCE = 1_000

/** Lines of orders whose anchor begins with a text: of some orders, or those that end in a stretch of time (`until` exclusive), by their ends. At most `limit`, read in parts. */
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
    .select('t.events')
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('embedded_associations as a')
          .select('a.line_id')
          .whereRef('a.tenant_id', '=', 'l.tenant_id')
          .whereRef('a.line_id', '=', 'l.line_id'),
      ).as('has_creatives'),
    )
    .where('l.tenant_id', '=', tenantId)
    .where('o.anchor', '>', prefix)
    // The character after every other of the anchors.
    .where('o.anchor', '<', `${prefix}~`)
  if (orderIds) query = query.where('l.order_id', 'in', orderIds)
  if (from) query = query.where('l.ends_at', '>', from.toISOString())
  if (until) query = query.where('l.ends_at', '<=', until.toISOString())
  const ordered = query.orderBy('l.ends_at').orderBy('l.line_id')
  const rows: Awaited<ReturnType<typeof ordered.execute>> = []
  for (let last: (typeof rows)[number] | undefined; rows.length < limit; ) {
    const place = last
    const rest = place ? ordered.where(sql<boolean>`(l.ends_at, l.line_id) > (${place.ends_at}, ${place.line_id})`) : ordered
    const part = await rest.limit(Math.min(LINES_AT_ONCE, limit - rows.length)).execute()
    for (const row of part) rows.push(row)
    last = part.at(-1)
    if (part.length < LINES_AT_ONCE) break
    await yieldToEventLoop()
  }
  // Once each, not once a line: the document of an order has its history.
  const orders = await ordersById(db, tenantId, new Set(rows.map(({ order_id: id }) => id)))
  const lines = mapSteps(sortRows(rows, 'ends_at', 'line_id'), (row) => {
    const order = orders.get(row.order_id)
    const counted = { impressions: Number(row.events ?? 0), hasCreatives: Boolean(row.has_creatives) }
    return order ? [{ ...lineOf(row), order, ...counted }] : []
  })
  return (await inTurns(lines)).flat()
}

async function ordersById(db: Db, tenantId: string, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, EmbeddedOrderRow>> {
  const orders = new Map<string, EmbeddedOrderRow>()
  await forEachChunk([...ids], async (chunk) => {
    const rows = await db
      .selectFrom('embedded_orders')
      .select(['order_id as orderId', 'anchor', 'state', 'document'])
      .where('tenant_id', '=', tenantId)
      .where('order_id', 'in', chunk)
      .execute()
    for (const row of rows) orders.set(row.orderId, row)
  })
  return orders
}

import { sql } from 'kysely'
import type { ServingState } from '../../domain/ad-serving/desired-order.ts'
import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'
import { sortRows } from '../sort-rows.ts'
import type { EmbeddedTables } from './rows.ts'

/** An order as it is stored. */
export interface EmbeddedOrderRow {
  readonly orderId: string
  readonly anchor: string
  readonly state: ServingState
  readonly document: string
}

/** A line as it is stored; its anchor is the package that it was booked for, `document` its terms as JSON. */
export interface EmbeddedLineRow {
  readonly lineId: string
  readonly orderId: string
  readonly anchor: string
  readonly state: ServingState
  readonly endsAt: string
  readonly document: string
}

/** Writes an order, or changes the one that has this id. */
export async function putEmbeddedOrder(tx: Db, tenantId: string, order: EmbeddedOrderRow, now: Date): Promise<void> {
  const { orderId, anchor, state, document } = order
  await putOrder(tx, { tenantId, orderId, anchor, state, document, at: now.toISOString() })
  await touch(tx, tenantId)
}

const putOrder = hotQuery(['tenantId', 'orderId', 'anchor', 'state', 'document', 'at'], (tx, value) =>
  tx
    .insertInto('embedded_orders')
    .values({
      tenant_id: value('tenantId'),
      order_id: value('orderId'),
      anchor: value('anchor'),
      state: value.of<ServingState>('state'),
      document: value('document'),
      updated_at: value('at'),
    })
    .onConflict((c) =>
      c.columns(['tenant_id', 'order_id']).doUpdateSet((e) => ({
        anchor: e.ref('excluded.anchor'),
        state: e.ref('excluded.state'),
        document: e.ref('excluded.document'),
        updated_at: sql<string>`case when embedded_orders.state = 'ended' and excluded.state = 'ended' then embedded_orders.updated_at else excluded.updated_at end`,
      })),
    ),
)

/** Writes a line, or changes the one that has this id. */
export async function putEmbeddedLine(tx: Db, tenantId: string, line: EmbeddedLineRow, now: Date): Promise<void> {
  const { lineId, orderId, anchor, state, endsAt, document } = line
  await putLine(tx, { tenantId, lineId, orderId, anchor, state, endsAt, document, at: now.toISOString() })
  await touch(tx, tenantId)
}

const putLine = hotQuery(['tenantId', 'lineId', 'orderId', 'anchor', 'state', 'endsAt', 'document', 'at'], (tx, value) =>
  tx
    .insertInto('embedded_lines')
    .values({
      tenant_id: value('tenantId'),
      line_id: value('lineId'),
      order_id: value('orderId'),
      anchor: value('anchor'),
      state: value.of<ServingState>('state'),
      ends_at: value('endsAt'),
      document: value('document'),
      updated_at: value('at'),
    })
    .onConflict((c) =>
      c.columns(['tenant_id', 'line_id']).doUpdateSet((e) => ({
        order_id: e.ref('excluded.order_id'),
        anchor: e.ref('excluded.anchor'),
        state: e.ref('excluded.state'),
        ends_at: e.ref('excluded.ends_at'),
        document: e.ref('excluded.document'),
        updated_at: e.ref('excluded.updated_at'),
      })),
    ),
)

/** The order that was written under an anchor. */
export async function findEmbeddedOrderByAnchor(db: Db, tenantId: string, anchor: string): Promise<EmbeddedOrderRow | undefined> {
  const [row] = (await orderAt(db, { tenantId, anchor })).rows
  return row && { orderId: row.order_id, anchor: row.anchor, state: row.state, document: row.document }
}

const orderAt = hotQuery(['tenantId', 'anchor'], (db, value) =>
  db.selectFrom('embedded_orders').selectAll().where('tenant_id', '=', value('tenantId')).where('anchor', '=', value('anchor')),
)

/** Orders that were written under these anchors, by anchor; at most 500. */
export async function findEmbeddedOrders(
  db: Db,
  tenantId: string,
  anchors: readonly string[],
): Promise<ReadonlyMap<string, EmbeddedOrderRow>> {
  if (anchors.length === 0) return new Map()
  const rows = await db
    .selectFrom('embedded_orders')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('anchor', 'in', anchors)
    .execute()
  return new Map(
    rows.map((row) => [row.anchor, { orderId: row.order_id, anchor: row.anchor, state: row.state, document: row.document }]),
  )
}

/** Orders whose anchor begins with a text, by anchor; those after `after`. */
export async function listEmbeddedOrders(
  db: Db,
  tenantId: string,
  { prefix, after = prefix, limit }: { readonly prefix: string; readonly after?: string; readonly limit: number },
): Promise<EmbeddedOrderRow[]> {
  const rows = await db
    .selectFrom('embedded_orders')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('anchor', '>', after)
    // The character after every other of the anchors.
    .where('anchor', '<', `${prefix}~`)
    .orderBy('anchor')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ orderId: row.order_id, anchor: row.anchor, state: row.state, document: row.document }))
}

/** Lines of one order. */
export async function listEmbeddedLines(db: Db, tenantId: string, orderId: string): Promise<EmbeddedLineRow[]> {
  const { rows } = await linesOfOrder(db, { tenantId, orderId })
  return sortRows(rows, 'line_id').map(lineOf)
}

const linesOfOrder = hotQuery(['tenantId', 'orderId'], (db, value) =>
  db.selectFrom('embedded_lines').selectAll().where('tenant_id', '=', value('tenantId')).where('order_id', '=', value('orderId')),
)

/** A line by its own id. */
export async function findEmbeddedLine(db: Db, tenantId: string, lineId: string): Promise<EmbeddedLineRow | undefined> {
  const row = await db
    .selectFrom('embedded_lines')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('line_id', '=', lineId)
    .executeTakeFirst()
  return row && lineOf(row)
}

/** The anchor of an order; for one that was booked for a media buy, the id of that. */
export async function findEmbeddedOrderAnchor(db: Db, tenantId: string, orderId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('embedded_orders')
    .select('anchor')
    .where('tenant_id', '=', tenantId)
    .where('order_id', '=', orderId)
    .executeTakeFirst()
  return row?.anchor
}

/** Lines that may still serve: active ones of active orders, with an end after `now`; and the anchors of their orders. */
export async function listOpenEmbeddedLines(
  db: Db,
  tenantId: string,
  now: Date,
): Promise<(EmbeddedLineRow & { readonly orderAnchor: string })[]> {
  const rows = await db
    .selectFrom('embedded_lines as l')
    .innerJoin('embedded_orders as o', (j) => j.onRef('o.tenant_id', '=', 'l.tenant_id').onRef('o.order_id', '=', 'l.order_id'))
    .selectAll('l')
    .select('o.anchor as order_anchor')
    .where('l.tenant_id', '=', tenantId)
    .where('l.ends_at', '>', now.toISOString())
    .where('l.state', '=', 'active')
    .where('o.state', '=', 'active')
    .orderBy('l.line_id')
    .execute()
  return rows.map((row) => ({ ...lineOf(row), orderAnchor: row.order_anchor }))
}

/** Sets the state of an order, or of some of its lines; what has it already stays as it was changed last. */
export async function setEmbeddedState(
  tx: Db,
  tenantId: string,
  { orderId, lineIds }: { readonly orderId: string; readonly lineIds?: readonly string[] },
  state: ServingState,
  now: Date,
): Promise<void> {
  const change = { state, updated_at: now.toISOString() }
  if (lineIds === undefined) {
    await tx
      .updateTable('embedded_orders')
      .set(change)
      .where('tenant_id', '=', tenantId)
      .where('order_id', '=', orderId)
      .where('state', '<>', state)
      .execute()
  } else if (lineIds.length > 0) {
    await tx
      .updateTable('embedded_lines')
      .set(change)
      .where('tenant_id', '=', tenantId)
      .where('order_id', '=', orderId)
      .where('line_id', 'in', lineIds)
      .where('state', '<>', state)
      .execute()
  }
  await touch(tx, tenantId)
}

/** The version of a publisher's lines and creatives: what was read under one is good until it grows. */
export async function embeddedVersion(db: Db, tenantId: string): Promise<number> {
  const row = await db.selectFrom('embedded_versions').select('version').where('tenant_id', '=', tenantId).executeTakeFirst()
  return row?.version ?? 0
}

/** Makes decisions read the publisher's lines and creatives again. */
export async function touch(tx: Db, tenantId: string): Promise<void> {
  await growVersion(tx, { tenantId })
}

const growVersion = hotQuery(['tenantId'], (tx, value) =>
  tx
    .insertInto('embedded_versions')
    .values({ tenant_id: value('tenantId'), version: 1 })
    .onConflict((c) => c.column('tenant_id').doUpdateSet((e) => ({ version: e('embedded_versions.version', '+', 1) }))),
)

/** A line from its columns. */
export function lineOf(row: EmbeddedTables['embedded_lines']): EmbeddedLineRow {
  return {
    lineId: row.line_id,
    orderId: row.order_id,
    anchor: row.anchor,
    state: row.state,
    endsAt: row.ends_at,
    document: row.document,
  }
}

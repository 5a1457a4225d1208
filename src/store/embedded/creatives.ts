import { forEachChunk } from '../chunks.ts'
import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'
import { sortRows } from '../sort-rows.ts'
import { touch } from './orders.ts'

export interface EmbeddedCreativeRow {
  readonly creativeId: string
  readonly orderId: string
  readonly anchor: string
  /** What is served, as JSON. */
  readonly document: string
}

export interface EmbeddedAssociationRow {
  readonly lineId: string
  readonly creativeId: string
  /** Weight and places as JSON. */
  readonly document: string
}

/** Writes creatives, or changes those that have these ids; of two with one id the last counts. */
export async function putEmbeddedCreatives(
  tx: Db,
  tenantId: string,
  creatives: readonly EmbeddedCreativeRow[],
  now: Date,
): Promise<void> {
  const byId = new Map(creatives.map((each) => [each.creativeId, each]))
  await forEachChunk([...byId.values()], (chunk) =>
    tx
      .insertInto('embedded_creatives')
      .values(
        chunk.map(({ creativeId: creative_id, orderId: order_id, anchor, document }) => ({
          ...{ tenant_id: tenantId, creative_id, order_id, anchor, document, updated_at: now.toISOString() },
        })),
      )
      .onConflict((c) =>
        c.columns(['tenant_id', 'creative_id']).doUpdateSet((e) => ({
          order_id: e.ref('excluded.order_id'),
          anchor: e.ref('excluded.anchor'),
          document: e.ref('excluded.document'),
          updated_at: e.ref('excluded.updated_at'),
        })),
      )
      .execute(),
  )
  await touch(tx, tenantId)
}

/** Puts associations in place of those of lines. */
export async function replaceEmbeddedAssociations(
  tx: Db,
  tenantId: string,
  lineIds: readonly string[],
  associations: readonly EmbeddedAssociationRow[],
): Promise<void> {
  await forEachChunk(lineIds, (ids) =>
    tx.deleteFrom('embedded_associations').where('tenant_id', '=', tenantId).where('line_id', 'in', ids).execute(),
  )
  const rows = associations.map(({ lineId, creativeId, document }) => ({
    ...{ tenant_id: tenantId, line_id: lineId, creative_id: creativeId, document },
  }))
  await forEachChunk(rows, (chunk) => tx.insertInto('embedded_associations').values(chunk).execute())
  await touch(tx, tenantId)
}

/** Creatives of lines with what is served of them, at most {@link LINES_A_QUERY} lines a query. */
export async function listEmbeddedAssociations(
  db: Db,
  tenantId: string,
  lineIds: readonly string[],
): Promise<(EmbeddedAssociationRow & { readonly anchor: string; readonly creative: string })[]> {
  const rows = await db
    .selectFrom('embedded_associations as a')
    .innerJoin('embedded_creatives as c', (j) =>
      j.onRef('c.tenant_id', '=', 'a.tenant_id').onRef('c.creative_id', '=', 'a.creative_id'),
    )
    .select(['a.line_id', 'a.creative_id', 'a.document', 'c.anchor', 'c.document as creative'])
    .where('a.tenant_id', '=', tenantId)
    .where('a.line_id', 'in', lineIds)
    .orderBy('a.line_id')
    .orderBy('a.creative_id')
    .execute()
  return rows.map((row) => ({
    lineId: row.line_id,
    creativeId: row.creative_id,
    anchor: row.anchor,
    document: row.document,
    creative: row.creative,
  }))
}

/** Which creatives are on lines, without what is served of them: at most {@link LINES_A_QUERY} lines a query. */
export async function listEmbeddedLineCreatives(
  db: Db,
  tenantId: string,
  lineIds: readonly string[],
): Promise<EmbeddedAssociationRow[]> {
  const rows = await db
    .selectFrom('embedded_associations')
    .select(['line_id', 'creative_id', 'document'])
    .where('tenant_id', '=', tenantId)
    .where('line_id', 'in', lineIds)
    .orderBy('line_id')
    .orderBy('creative_id')
    .execute()
  return rows.map((row) => ({ lineId: row.line_id, creativeId: row.creative_id, document: row.document }))
}

/** What is served of creatives, by their ids: at most {@link CREATIVES_A_QUERY} of them. */
export async function readEmbeddedCreatives(
  db: Db,
  tenantId: string,
  creativeIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('embedded_creatives')
    .select(['creative_id', 'document'])
    .where('tenant_id', '=', tenantId)
    .where('creative_id', 'in', creativeIds)
    .execute()
  return new Map(rows.map((row) => [row.creative_id, row.document]))
}

/** Each may have a fifth of a megabyte of HTML. */
export const CREATIVES_A_QUERY = 20

/** Parameters of one statement stay far below the limits of both engines. */
export const LINES_A_QUERY = 500

/** Creatives of an order, whether a line shows them or not. */
export async function listEmbeddedCreatives(db: Db, tenantId: string, orderId: string): Promise<EmbeddedCreativeRow[]> {
  const { rows } = await creativesOfOrder(db, { tenantId, orderId })
  return sortRows(rows, 'creative_id').map((row) => ({
    creativeId: row.creative_id,
    orderId: row.order_id,
    anchor: row.anchor,
    document: row.document,
  }))
}

const creativesOfOrder = hotQuery(['tenantId', 'orderId'], (db, value) =>
  db
    .selectFrom('embedded_creatives')
    .selectAll()
    .where('tenant_id', '=', value('tenantId'))
    .where('order_id', '=', value('orderId')),
)

export async function findEmbeddedCreative(
  db: Db,
  tenantId: string,
  creativeId: string,
): Promise<EmbeddedCreativeRow | undefined> {
  const row = await db
    .selectFrom('embedded_creatives')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('creative_id', '=', creativeId)
    .executeTakeFirst()
  return row && { creativeId: row.creative_id, orderId: row.order_id, anchor: row.anchor, document: row.document }
}

import type { Db } from '../database.ts'
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

/** Writes a creative, or changes the one that has this id. */
export async function putEmbeddedCreative(tx: Db, tenantId: string, creative: EmbeddedCreativeRow, now: Date): Promise<void> {
  const columns = {
    order_id: creative.orderId,
    anchor: creative.anchor,
    document: creative.document,
    updated_at: now.toISOString(),
  }
  await tx
    .insertInto('embedded_creatives')
    .values({ tenant_id: tenantId, creative_id: creative.creativeId, ...columns })
    .onConflict((c) => c.columns(['tenant_id', 'creative_id']).doUpdateSet(columns))
    .execute()
  await touch(tx, tenantId)
}

/** Puts associations in place of those of a line. */
export async function replaceEmbeddedAssociations(
  tx: Db,
  tenantId: string,
  lineId: string,
  associations: readonly Omit<EmbeddedAssociationRow, 'lineId'>[],
): Promise<void> {
  await tx.deleteFrom('embedded_associations').where('tenant_id', '=', tenantId).where('line_id', '=', lineId).execute()
  for (const { creativeId, document } of associations)
    await tx
      .insertInto('embedded_associations')
      .values({ tenant_id: tenantId, line_id: lineId, creative_id: creativeId, document })
      .execute()
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

/** Parameters of one statement stay far below the limits of both engines. */
export const LINES_A_QUERY = 500

/** Creatives of an order, whether a line shows them or not. */
export async function listEmbeddedCreatives(db: Db, tenantId: string, orderId: string): Promise<EmbeddedCreativeRow[]> {
  const rows = await db
    .selectFrom('embedded_creatives')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('order_id', '=', orderId)
    .execute()
  return sortRows(rows, 'creative_id').map((row) => ({
    creativeId: row.creative_id,
    orderId: row.order_id,
    anchor: row.anchor,
    document: row.document,
  }))
}

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

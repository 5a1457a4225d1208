import type { Db } from '../database.ts'
import { sortRows } from '../sort-rows.ts'
import { touch } from './orders.ts'

/** A placement as it is stored: what people set for it, as JSON. */
export interface EmbeddedPlacementRow {
  readonly placementId: string
  readonly document: string
}

/** Writes a placement, or changes the one that has this id; decisions keep to it from their next look on. */
export async function putEmbeddedPlacement(tx: Db, tenantId: string, row: EmbeddedPlacementRow, now: Date): Promise<void> {
  const columns = { document: row.document, updated_at: now.toISOString() }
  await tx
    .insertInto('embedded_placements')
    .values({ tenant_id: tenantId, placement_id: row.placementId, ...columns })
    .onConflict((c) => c.columns(['tenant_id', 'placement_id']).doUpdateSet(columns))
    .execute()
  await touch(tx, tenantId)
}

/** The placements of a publisher, by id. */
export async function listEmbeddedPlacements(db: Db, tenantId: string): Promise<EmbeddedPlacementRow[]> {
  const rows = await db.selectFrom('embedded_placements').selectAll().where('tenant_id', '=', tenantId).execute()
  return sortRows(rows, 'placement_id').map(({ placement_id: placementId, document }) => ({ placementId, document }))
}

export async function findEmbeddedPlacement(
  db: Db,
  tenantId: string,
  placementId: string,
): Promise<EmbeddedPlacementRow | undefined> {
  const row = await db
    .selectFrom('embedded_placements')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('placement_id', '=', placementId)
    .executeTakeFirst()
  return row && { placementId, document: row.document }
}

/** Whether there was one. */
export async function removeEmbeddedPlacement(tx: Db, tenantId: string, placementId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('embedded_placements')
    .where('tenant_id', '=', tenantId)
    .where('placement_id', '=', placementId)
    .executeTakeFirst()
  await touch(tx, tenantId)
  return numDeletedRows > 0n
}

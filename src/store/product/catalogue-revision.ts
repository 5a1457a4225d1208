import type { Db } from '../database.ts'

/** The revision that the change under way will give the catalogue. */
export async function nextRevision(tx: Db, tenantId: string): Promise<number> {
  const row = await tx.selectFrom('tenants').select('catalogue_revision').where('tenant_id', '=', tenantId).executeTakeFirst()
  return Number(row?.catalogue_revision ?? 0) + 1
}

/** Every change of a catalogue gets a new revision: caches are keyed by it. */
export async function touchCatalogue(tx: Db, tenantId: string): Promise<void> {
  await tx
    .updateTable('tenants')
    .set((eb) => ({ catalogue_revision: eb('catalogue_revision', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .execute()
}

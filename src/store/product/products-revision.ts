import type { Db } from '../database.ts'

/** The revision that the change under way will give the products. */
export async function nextRevision(tx: Db, tenantId: string): Promise<number> {
  const row = await tx.selectFrom('tenants').select('products_revision').where('tenant_id', '=', tenantId).executeTakeFirst()
  return Number(row?.products_revision ?? 0) + 1
}

/** Every change of products gets a new revision: caches are keyed by it. */
export async function touchProducts(tx: Db, tenantId: string): Promise<void> {
  await tx
    .updateTable('tenants')
    .set((eb) => ({ products_revision: eb('products_revision', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .execute()
}

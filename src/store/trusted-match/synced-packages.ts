import { forEachChunk } from '../chunks.ts'
import type { Db } from '../database.ts'

export interface SyncedPackage {
  readonly seller: string
  readonly packageId: string
  readonly document: Readonly<Record<string, unknown>>
}

/** Puts these packages in the place of all that the seller had synced. */
export async function replaceSyncedPackages(
  tx: Db,
  tenantId: string,
  seller: string,
  packages: readonly Omit<SyncedPackage, 'seller'>[],
): Promise<void> {
  await tx.deleteFrom('match_packages').where('tenant_id', '=', tenantId).where('seller', '=', seller).execute()
  const rows = packages.map(({ packageId, document }) => ({
    tenant_id: tenantId,
    seller,
    package_id: packageId,
    document: JSON.stringify(document),
  }))
  await forEachChunk(rows, (chunk) => tx.insertInto('match_packages').values(chunk).execute())
}

/** Every package that sellers synced. */
export async function listSyncedPackages(db: Db, tenantId: string): Promise<readonly SyncedPackage[]> {
  const rows = await db.selectFrom('match_packages').selectAll().where('tenant_id', '=', tenantId).execute()
  return rows.map(({ seller, package_id, document }) => ({ seller, packageId: package_id, document: JSON.parse(document) }))
}

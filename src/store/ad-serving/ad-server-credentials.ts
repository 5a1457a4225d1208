import type { Db } from '../database.ts'

/** Encrypted credentials of an ad server of a publisher, and when they were stored; undefined: none are. */
export async function findCredentials(
  db: Db,
  tenantId: string,
  adServer: string,
): Promise<{ readonly sealed: string; readonly updatedAt: string } | undefined> {
  const row = await db
    .selectFrom('ad_server_credentials')
    .select(['sealed', 'updated_at'])
    .where('tenant_id', '=', tenantId)
    .where('ad_server', '=', adServer)
    .executeTakeFirst()
  return row && { sealed: row.sealed, updatedAt: row.updated_at }
}

/** Which ad servers of a publisher have credentials, and since when. */
export async function listCredentials(
  db: Db,
  tenantId: string,
): Promise<readonly { readonly adServer: string; readonly updatedAt: string }[]> {
  const rows = await db
    .selectFrom('ad_server_credentials')
    .select(['ad_server', 'updated_at'])
    .where('tenant_id', '=', tenantId)
    .execute()
  return rows.map((row) => ({ adServer: row.ad_server, updatedAt: row.updated_at }))
}

/** Stores credentials in the place of those that were there. */
export async function saveCredentials(tx: Db, tenantId: string, adServer: string, sealed: string, now: Date): Promise<void> {
  const values = { sealed, updated_at: now.toISOString() }
  await tx
    .insertInto('ad_server_credentials')
    .values({ tenant_id: tenantId, ad_server: adServer, ...values })
    .onConflict((c) => c.columns(['tenant_id', 'ad_server']).doUpdateSet(values))
    .execute()
}

/** Deletes credentials. False when there were none. */
export async function removeCredentials(tx: Db, tenantId: string, adServer: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('ad_server_credentials')
    .where('tenant_id', '=', tenantId)
    .where('ad_server', '=', adServer)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** The row that encrypted credentials belong to. */
export function credentialsPlace(tenantId: string, adServer: string): string {
  return JSON.stringify([tenantId, adServer])
}

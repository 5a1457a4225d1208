import type { Selectable } from 'kysely'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../database.ts'
import type { AdminKeyTables } from './rows.ts'

export type AdminKeyRow = Selectable<AdminKeyTables['admin_keys']>

export async function addAdminKey(tx: Db, key: Omit<AdminKeyRow, 'revoked_at'>): Promise<void> {
  await tx
    .insertInto('admin_keys')
    .values({ ...key, revoked_at: null })
    .execute()
}

/** The key of a token's hash, while it is valid. */
export async function findAdminKey(db: Db, hash: string, now: Date): Promise<AdminKeyRow | undefined> {
  const row = await db.selectFrom('admin_keys').selectAll().where('key_hash', '=', hash).executeTakeFirst()
  if (!row || row.revoked_at !== null) return undefined
  return row.expires_at !== null && row.expires_at <= now.toISOString() ? undefined : row
}

/** Keys of a tenant, the oldest first, without their hashes. */
export async function listAdminKeys(db: Db, tenantId: string): Promise<Omit<AdminKeyRow, 'key_hash'>[]> {
  return db
    .selectFrom('admin_keys')
    .select(['key_id', 'tenant_id', 'name', 'role', 'deployment', 'created_at', 'expires_at', 'revoked_at'])
    .where('tenant_id', '=', tenantId)
    .orderBy('created_at')
    .orderBy('key_id')
    .execute()
}

/** Ends a key now. Throws REFERENCE_NOT_FOUND. */
export async function revokeAdminKey(tx: Db, tenantId: string, keyId: string, now: Date): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('admin_keys')
    .set(({ fn, val }) => ({ revoked_at: fn.coalesce('revoked_at', val(now.toISOString())) }))
    .where('tenant_id', '=', tenantId)
    .where('key_id', '=', keyId)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw new AdcpError('REFERENCE_NOT_FOUND', `no admin key ${keyId} in ${tenantId}`, { field: 'key' })
}

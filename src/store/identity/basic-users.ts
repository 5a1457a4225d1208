import type { BasicUser, LoginStatus } from '../../domain/identity/basic-user.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../database.ts'
import { findIdentity, getPrincipal } from './identities.ts'

/** Adds a Basic user of a principal. Throws INVALID_REQUEST when the name is taken, REFERENCE_NOT_FOUND without the principal. */
export async function addBasicUser(
  tx: Db,
  user: { tenantId: string; principalId: string; username: string; passwordHash: string },
  now: Date,
): Promise<void> {
  await getPrincipal(tx, user.tenantId, user.principalId)
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('basic_users')
    .values({
      username: user.username,
      tenant_id: user.tenantId,
      principal_id: user.principalId,
      password_hash: user.passwordHash,
      created_at: now.toISOString(),
      revoked_at: null,
    })
    .onConflict((c) => c.doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n)
    throw new AdcpError('INVALID_REQUEST', `user ${user.username} exists already`, { field: 'username' })
}

/** Basic users of a tenant, by name. */
export async function listBasicUsers(
  db: Db,
  tenantId: string,
): Promise<{ username: string; principal: string; status: LoginStatus }[]> {
  const rows = await db.selectFrom('basic_users').selectAll().where('tenant_id', '=', tenantId).orderBy('username').execute()
  return rows.map((row) => ({
    username: row.username,
    principal: row.principal_id,
    status: row.revoked_at === null ? 'active' : 'revoked',
  }))
}

/** Ends a Basic user. Throws REFERENCE_NOT_FOUND. */
export async function revokeBasicUser(tx: Db, tenantId: string, username: string, now: Date): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('basic_users')
    .set(({ fn, val }) => ({ revoked_at: fn.coalesce('revoked_at', val(now.toISOString())) }))
    .where('tenant_id', '=', tenantId)
    .where('username', '=', username)
    .executeTakeFirst()
  if (numUpdatedRows === 0n)
    throw new AdcpError('REFERENCE_NOT_FOUND', `no user ${username} in ${tenantId}`, { field: 'username' })
}

/** The user of this name, when it may log in now. */
export async function findBasicUser(db: Db, username: string): Promise<BasicUser | undefined> {
  const row = await db
    .selectFrom('basic_users')
    .selectAll()
    .where('username', '=', username)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  const identity = row && (await findIdentity(db, row.tenant_id, row.principal_id))
  return identity && { ...identity, username: row.username, passwordHash: row.password_hash }
}

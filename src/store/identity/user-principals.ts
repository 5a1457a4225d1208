import type { Identity } from '../../domain/identity/identity.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../database.ts'
import { findIdentity, getPrincipal } from './identities.ts'

/** Lets a user act as one more agent of its tenant. Throws REFERENCE_NOT_FOUND. */
export async function allowPrincipal(
  tx: Db,
  { tenantId, username, principalId }: { tenantId: string; username: string; principalId: string },
  now: Date,
): Promise<void> {
  await requireUser(tx, tenantId, username)
  await getPrincipal(tx, tenantId, principalId)
  await tx
    .insertInto('user_principals')
    .values({ username, principal_id: principalId, created_at: now.toISOString() })
    .onConflict((c) => c.doNothing())
    .execute()
}

/** Takes that back: grants for that agent count no more. Throws REFERENCE_NOT_FOUND. */
export async function disallowPrincipal(tx: Db, tenantId: string, username: string, principalId: string): Promise<void> {
  await requireUser(tx, tenantId, username)
  const { numDeletedRows } = await tx
    .deleteFrom('user_principals')
    .where('username', '=', username)
    .where('principal_id', '=', principalId)
    .executeTakeFirst()
  if (numDeletedRows === 0n)
    throw new AdcpError('REFERENCE_NOT_FOUND', `${username} may not act as ${principalId} beside its own agent`, {
      field: 'principal',
    })
}

/** Whom a user may act as now: the agent that the user is of, then the others by id. Empty for one who may not log in. */
export async function listUserIdentities(db: Db, username: string): Promise<readonly Identity[]> {
  const user = await db
    .selectFrom('basic_users')
    .select(['tenant_id', 'principal_id'])
    .where('username', '=', username)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  if (!user) return []
  const rows = await db
    .selectFrom('user_principals')
    .select('principal_id')
    .where('username', '=', username)
    .orderBy('principal_id')
    .execute()
  const ids = [...new Set([user.principal_id, ...rows.map((row) => row.principal_id)])]
  const found = await Promise.all(ids.map((principalId) => findIdentity(db, user.tenant_id, principalId)))
  return found.filter((identity) => identity !== undefined)
}

/** The user as the agent that was chosen; without a choice, as the agent that the user is of. Undefined once that is no longer allowed. */
export async function findUserIdentity(db: Db, username: string, principalId: string | undefined): Promise<Identity | undefined> {
  const user = await db
    .selectFrom('basic_users as u')
    .leftJoin('user_principals as a', (j) =>
      j.onRef('a.username', '=', 'u.username').on('a.principal_id', '=', principalId ?? ''),
    )
    .select(['u.tenant_id', 'u.principal_id', 'a.principal_id as allowed'])
    .where('u.username', '=', username)
    .where('u.revoked_at', 'is', null)
    .executeTakeFirst()
  if (!user) return undefined
  const chosen = principalId ?? user.principal_id
  return chosen === user.principal_id || chosen === user.allowed ? findIdentity(db, user.tenant_id, chosen) : undefined
}

async function requireUser(tx: Db, tenantId: string, username: string): Promise<void> {
  const user = await tx
    .selectFrom('basic_users')
    .select('username')
    .where('tenant_id', '=', tenantId)
    .where('username', '=', username)
    .executeTakeFirst()
  if (!user) throw new AdcpError('REFERENCE_NOT_FOUND', `no user ${username} in ${tenantId}`, { field: 'username' })
}

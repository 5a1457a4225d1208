import type { Selectable } from 'kysely'
import { intersectScopes, type Principal, type Tenant } from '../../domain/identity/principal.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'
import { identityOf, PRINCIPAL_COLUMNS } from './identities.ts'
import type { PrincipalTables } from './rows.ts'

export type KeyRow = Selectable<PrincipalTables['api_keys']>

export async function addKey(tx: Db, key: Omit<KeyRow, 'revoked_at' | 'last_used_at' | 'successor'>): Promise<void> {
  await tx
    .insertInto('api_keys')
    .values({ ...key, revoked_at: null, last_used_at: null, successor: null })
    .execute()
}

export async function listKeys(db: Db, tenantId: string, principalId?: string): Promise<KeyRow[]> {
  return db
    .selectFrom('api_keys')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .$if(principalId !== undefined, (q) => q.where('principal_id', '=', principalId ?? ''))
    .orderBy('created_at')
    .orderBy('key_id')
    .execute()
}

/** Ends a key now (one that has ended so stays as it is) or at a later moment (the overlap of a rotation). Returns since when it is revoked, ISO 8601. Throws REFERENCE_NOT_FOUND. */
export async function endKey(
  tx: Db,
  tenantId: string,
  keyId: string,
  at: { revokedAt: Date } | { expiresAt: Date },
  principalId?: string,
): Promise<string | null> {
  const ended = await tx
    .updateTable('api_keys')
    .set(({ fn, val }) =>
      'revokedAt' in at
        ? { revoked_at: fn.coalesce('revoked_at', val(at.revokedAt.toISOString())) }
        : { expires_at: at.expiresAt.toISOString() },
    )
    .where('tenant_id', '=', tenantId)
    .where('key_id', '=', keyId)
    .$if(principalId !== undefined, (query) => query.where('principal_id', '=', principalId ?? ''))
    .returning('revoked_at')
    .executeTakeFirst()
  if (!ended) throw new AdcpError('REFERENCE_NOT_FOUND', `no key ${keyId} in ${tenantId}`, { field: 'key' })
  return ended.revoked_at
}

/** Notes which key took the place of another. */
export async function setSuccessor(tx: Db, tenantId: string, keyId: string, successor: string): Promise<void> {
  await tx.updateTable('api_keys').set({ successor }).where('tenant_id', '=', tenantId).where('key_id', '=', keyId).execute()
}

/** Whose a key is. `lastUsedAt` is ISO 8601. */
export interface KnownKey {
  readonly principal: Principal
  readonly tenant: Tenant
  readonly lastUsedAt: string | null
}

/** Who a key hash belongs to, or why it does not count. `reason` is for the log, never for the wire. */
export type KeyLookup = KnownKey | { readonly reason: 'unknown' | 'revoked' | 'expired' | 'suspended' }

const keyByHash = hotQuery(['keyHash'], (db, value) =>
  db
    .selectFrom('api_keys as k')
    .innerJoin('principals as p', (j) =>
      j.onRef('p.tenant_id', '=', 'k.tenant_id').onRef('p.principal_id', '=', 'k.principal_id'),
    )
    .innerJoin('tenants as t', 't.tenant_id', 'k.tenant_id')
    .selectAll('t')
    .select([
      'k.key_id as key_id',
      'k.scopes as key_scopes',
      'k.expires_at as expires_at',
      'k.revoked_at as revoked_at',
      'k.last_used_at as last_used_at',
      'p.status as principal_status',
      ...PRINCIPAL_COLUMNS,
    ])
    .where('k.key_hash', '=', value('keyHash')),
)

/** Resolves a token's hash to its principal and tenant in one read. */
export async function lookupKey(db: Db, keyHash: string, now: Date): Promise<KeyLookup> {
  const [row] = (await keyByHash(db, { keyHash })).rows
  if (!row) return { reason: 'unknown' }
  if (row.revoked_at !== null) return { reason: 'revoked' }
  if (hasExpired(row.expires_at, now)) return { reason: 'expired' }
  if (row.principal_status !== 'active') return { reason: 'suspended' }
  const { tenant, principal } = identityOf(row)
  return {
    tenant,
    lastUsedAt: row.last_used_at,
    principal: {
      ...principal,
      scopes: intersectScopes(principal.scopes, JSON.parse(row.key_scopes)),
      keyExpiresAt: row.expires_at,
      credentialId: row.key_id,
    },
  }
}

/** Whether the moment (ISO 8601) at which a key ends has come. */
export function hasExpired(expiresAt: string | null | undefined, now: Date): boolean {
  return typeof expiresAt === 'string' && expiresAt <= now.toISOString()
}

/** Notes when a key was last used. */
export async function touchKey(tx: Db, keyId: string, now: Date): Promise<void> {
  await tx.updateTable('api_keys').set({ last_used_at: now.toISOString() }).where('key_id', '=', keyId).execute()
}

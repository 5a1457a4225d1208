import { AdcpError } from '../../protocol/errors.ts'
import { newKey } from '../../security/auth/opaque-key.ts'
import type { Db } from '../../store/database.ts'
import { addKey } from '../../store/identity/api-keys.ts'
import { findPrincipal } from '../../store/identity/principals.ts'

/** A key as its owner gets it. */
export interface IssuedKey {
  readonly key_id: string
  /** Shown once. */
  readonly token: string
  readonly tenant: string
  readonly principal: string
  readonly scopes: readonly string[]
  /** ISO 8601; null: it does not end. */
  readonly expires_at: string | null
}

/** Whose key, with which scopes, and until when. */
export interface KeyOrder {
  readonly tenantId: string
  readonly principalId: string
  readonly scopes: readonly string[]
  readonly expiresAt: Date | undefined
}

/** Makes and stores a key of an existing principal. Throws REFERENCE_NOT_FOUND. */
export async function issueKey(tx: Db, { tenantId, principalId, scopes, expiresAt }: KeyOrder, now: Date): Promise<IssuedKey> {
  if (!(await findPrincipal(tx, tenantId, principalId)))
    throw new AdcpError('REFERENCE_NOT_FOUND', `there is no principal ${principalId} in ${tenantId}`, { field: 'principal' })
  const key = newKey()
  const expires = expiresAt?.toISOString() ?? null
  await addKey(tx, {
    key_hash: key.hash,
    key_id: key.keyId,
    tenant_id: tenantId,
    principal_id: principalId,
    prefix: key.prefix,
    last_four: key.lastFour,
    scopes: JSON.stringify(scopes),
    created_at: now.toISOString(),
    expires_at: expires,
  })
  return { key_id: key.keyId, token: key.token, tenant: tenantId, principal: principalId, scopes, expires_at: expires }
}

import { ADMIN_ROLES, isAdminRole } from '../../domain/identity/admin-role.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { hashToken, newKey } from '../../security/auth/opaque-key.ts'
import { type AdminKeyRow, addAdminKey, findAdminKey, listAdminKeys, revokeAdminKey } from '../../store/identity/admin-keys.ts'
import { findTenant } from '../../store/identity/tenants.ts'
import { auditedStore } from '../audited-store.ts'
import { readMoment } from '../moment.ts'
import type { OperatorContext } from '../operator-context.ts'
import { requireName } from '../tenants/set-tenant.ts'

export { ADMIN_ROLES }

/** A key of the admin API as it is listed. */
export type ShownAdminKey = Omit<AdminKeyRow, 'key_hash' | 'deployment'> & { readonly deployment: boolean }

export interface NewAdminKey {
  readonly tenantId: string
  /** What it is for. */
  readonly name: string
  readonly role: string
  /** ISO date, or a span such as `90d`. */
  readonly expires?: string | undefined
  /** May act on the whole deployment too; for administrators. */
  readonly deployment?: boolean | undefined
}

/**
 * Makes a key of the admin API for one publisher; the token is in the answer and nowhere else. Throws INVALID_REQUEST for an unknown role, an empty
 * name, a wrong date, and a key for the deployment that is not an administrator's; REFERENCE_NOT_FOUND.
 */
export async function createAdminKey(
  context: OperatorContext,
  input: NewAdminKey,
): Promise<{ readonly key_id: string; readonly token: string; readonly role: string; readonly expires_at: string | null }> {
  const { tenantId, role, expires, deployment = false } = input
  if (!isAdminRole(role))
    throw new AdcpError('INVALID_REQUEST', `"${role}" is no role; valid: ${ADMIN_ROLES.join(', ')}`, { field: 'role' })
  if (deployment && role !== 'administrator')
    throw new AdcpError('INVALID_REQUEST', 'a key for the deployment has the role administrator', { field: 'role' })
  const now = context.clock()
  const name = requireName(input.name)
  const expiresAt = expires === undefined ? null : readMoment(expires, now).toISOString()
  const { keyId, hash, token } = newKey('ak')
  const store = auditedStore(context, { task: 'admin-keys.create', tenant: tenantId, subject: keyId })
  await store.transaction(async (tx) => {
    if (!(await findTenant(tx, tenantId)))
      throw new AdcpError('REFERENCE_NOT_FOUND', `there is no publisher ${tenantId}`, { field: 'publisher' })
    await addAdminKey(tx, {
      key_hash: hash,
      key_id: keyId,
      tenant_id: tenantId,
      name,
      role,
      deployment: deployment ? 1 : 0,
      created_at: now.toISOString(),
      expires_at: expiresAt,
    })
  })
  return { key_id: keyId, token, role, expires_at: expiresAt }
}

/** Keys of a publisher's admin API, never their tokens. */
export async function showAdminKeys({ store }: OperatorContext, tenantId: string): Promise<readonly ShownAdminKey[]> {
  return (await listAdminKeys(store.read, tenantId)).map((key) => ({ ...key, deployment: key.deployment === 1 }))
}

/** Ends a key of the admin API now. Throws REFERENCE_NOT_FOUND. */
export async function endAdminKey(context: OperatorContext, tenantId: string, keyId: string): Promise<void> {
  const store = auditedStore(context, { task: 'admin-keys.revoke', tenant: tenantId, subject: keyId })
  await store.transaction((tx) => revokeAdminKey(tx, tenantId, keyId, context.clock()))
}

/** The key that a token belongs to, while it is valid. */
export function identifyAdminKey({ store, clock }: OperatorContext, token: string): Promise<AdminKeyRow | undefined> {
  return findAdminKey(store.read, hashToken(token), clock())
}

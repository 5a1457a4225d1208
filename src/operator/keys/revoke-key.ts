import { revokeAgentKey } from '../../store/identity/agent-key-sources.ts'
import { endKey } from '../../store/identity/api-keys.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'

/** Ends a key now. Gives the time. Throws REFERENCE_NOT_FOUND. */
export async function revokeKey(
  context: OperatorContext,
  { tenantId, keyId }: { readonly tenantId: string; readonly keyId: string },
): Promise<Date> {
  const revokedAt = context.clock()
  const store = auditedStore(context, { task: 'keys.revoke', tenant: tenantId, subject: keyId })
  await store.transaction((tx) => endKey(tx, tenantId, keyId, { revokedAt }))
  return revokedAt
}

/** Ends the key that an agent signs with, by its `kid`: no signature by it counts again. Gives the time. */
export async function revokeSigningKey(context: OperatorContext, kid: string): Promise<Date> {
  const revokedAt = context.clock()
  const store = auditedStore(context, { task: 'keys.revoke-signing', subject: kid })
  await store.transaction((tx) => revokeAgentKey(tx, kid, revokedAt))
  return revokedAt
}

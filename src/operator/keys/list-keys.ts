import { type KeyRow, listKeys as listStoredKeys } from '../../store/identity/api-keys.ts'
import type { OperatorContext } from '../operator-context.ts'

/** A key as it may be shown: by its prefix and its last four characters. */
export type ShownKey = ReturnType<typeof describeKey>

/** The keys of a publisher's principals, or of one of them. */
export async function listKeys(
  { store, clock }: OperatorContext,
  { tenantId, principalId }: { readonly tenantId: string; readonly principalId?: string | undefined },
): Promise<readonly ShownKey[]> {
  const now = clock()
  return (await listStoredKeys(store.read, tenantId, principalId)).map((row) => describeKey(row, now))
}

function describeKey(row: KeyRow, now: Date) {
  const scopes: readonly string[] = JSON.parse(row.scopes)
  return {
    key_id: row.key_id,
    principal: row.principal_id,
    token: `${row.prefix}…${row.last_four}`,
    scopes,
    status: statusOf(row, now),
    created_at: row.created_at,
    last_used_at: row.last_used_at,
    expires_at: row.expires_at,
  }
}

function statusOf({ revoked_at, expires_at }: KeyRow, now: Date): 'revoked' | 'expired' | 'active' {
  if (revoked_at !== null) return 'revoked'
  return expires_at !== null && expires_at <= now.toISOString() ? 'expired' : 'active'
}

import { auditedStore } from '../audited-store.ts'
import { readMoment } from '../moment.ts'
import type { OperatorContext } from '../operator-context.ts'
import { readScopes } from '../scopes.ts'
import { type IssuedKey, issueKey } from './issue-key.ts'

export type { IssuedKey }

/**
 * Makes a key for a principal; the token is in the answer and nowhere else. `scopes` is comma-separated (default: all), `expires` an ISO date or a span
 * such as `90d`. Throws REFERENCE_NOT_FOUND, INVALID_REQUEST.
 */
export async function createKey(
  context: OperatorContext,
  input: {
    readonly tenantId: string
    readonly principalId: string
    readonly scopes?: string | undefined
    readonly expires?: string | undefined
  },
): Promise<IssuedKey> {
  const { tenantId, principalId, scopes, expires } = input
  const allowed = await readScopes(scopes)
  const now = context.clock()
  const store = auditedStore(context, { task: 'keys.create', tenant: tenantId, subject: principalId })
  return store.transaction((tx) => {
    const expiresAt = expires === undefined ? undefined : readMoment(expires, now)
    return issueKey(tx, { tenantId, principalId, scopes: allowed, expiresAt }, now)
  })
}

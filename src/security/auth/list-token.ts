import type { Store } from '../../store/database.ts'
import { findTenant } from '../../store/identity/tenants.ts'
import { findListByToken, isListToken } from '../../store/inventory-list/list-tokens.ts'
import type { Verdict, Verifier } from './verifier.ts'

/** RFC 6750 §2.1, without regard to the case of the scheme. */
const BEARER = /^bearer +([A-Za-z0-9_-]+) *$/i

/**
 * Verifies the token of one property or collection list, which its owner hands to sellers. Its holder may fetch that list and nothing
 * else: it does not represent the owner. Source: AdCP create-property-list-response.json, `auth_token`.
 */
export function listTokenVerifier(store: Store, challenge: string): Verifier {
  return {
    name: 'list token',
    async verify(credentials): Promise<Verdict> {
      const token = BEARER.exec(credentials.authorization ?? '')?.[1]
      if (token === undefined || !isListToken(token)) return { kind: 'absent' }
      const found = await findListByToken(store.read, token)
      const tenant = found && (await findTenant(store.read, found.tenantId))
      if (!found || !tenant) return { kind: 'refused', reason: 'unknown list token', challenge }
      return {
        kind: 'verified',
        tenant,
        principal: {
          tenantId: found.tenantId,
          principalId: `token of ${found.listId}`,
          name: `token of ${found.listId}`,
          agentUrl: undefined,
          sandbox: false,
          scopes: ['adcp:lists:fetch'],
          confinedTo: found.listId,
          signingRequired: false,
          mechanism: 'bearer',
          credentialId: found.listId,
        },
      }
    },
  }
}

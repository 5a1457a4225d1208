import type { Identity } from '../../domain/identity/identity.ts'
import type { Tenant } from '../../domain/identity/principal.ts'
import type { Store } from '../../store/database.ts'
import { listSigningKeys } from '../../store/identity/signing-keys.ts'
import { readJwks } from '../signing/jwk.ts'
import { type KeySource, type ResolvedKey, resolvedKey } from '../signing/keys.ts'
import { registered } from './registered.ts'

/** This agent as its own counterparty. */
export interface OwnAgent {
  readonly agentUrl: string
  readonly keys: KeySource
  identity(tenant: Tenant): Identity
}

/**
 * Lets the deployment's own request-signing key sign calls to itself, so that `doctor` can see the whole way of a signed call from
 * outside. The principal has no scope: it may ask what anybody may ask.
 */
export function ownAgent(store: Store, agentUrl: string): OwnAgent {
  const keys = registered(
    () => listSigningKeys(store.read, 'request-signing'),
    (row) => (readJwks({ keys: [JSON.parse(row.public_jwk)] }) ?? []).map((jwk) => resolvedKey(jwk, agentUrl)),
  )
  const withId = (listed: readonly (readonly ResolvedKey[])[] | undefined, keyid: string) =>
    listed?.flat().find(({ jwk }) => jwk.kid === keyid)
  return {
    agentUrl,
    keys: {
      find: async (keyid, nowSeconds) => withId(await keys.list(nowSeconds), keyid),
      cached: (keyid, nowSeconds) => withId(keys.known(nowSeconds), keyid),
    },
    identity: (tenant) => ({
      tenant,
      principal: {
        tenantId: tenant.tenantId,
        principalId: 'this-agent',
        name: 'This agent itself',
        agentUrl,
        sandbox: false,
        scopes: [],
        signingRequired: true,
        mechanism: 'signature',
        credentialId: '',
      },
    }),
  }
}

import { readJwks } from '../signing/jwk.ts'
import { type KeySource, type ResolvedKey, resolvedKey } from '../signing/keys.ts'
import type { Store } from '../store/database.ts'
import { listSigningKeys } from '../store/signing-keys.ts'
import type { Tenant } from './principals.ts'
import { registered } from './registered.ts'
import type { Identity } from './signature.ts'

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
  const list = registered(
    () => listSigningKeys(store.read, 'request-signing'),
    (row) => (readJwks({ keys: [JSON.parse(row.public_jwk)] }) ?? []).map((jwk) => resolvedKey(jwk, agentUrl)),
  )
  let keys: readonly ResolvedKey[] = []
  return {
    agentUrl,
    keys: {
      async find(keyid, nowSeconds) {
        keys = (await list(nowSeconds)).flat()
        return keys.find(({ jwk }) => jwk.kid === keyid)
      },
      cached: (keyid) => keys.find(({ jwk }) => jwk.kid === keyid),
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

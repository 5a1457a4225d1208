import type { Mode } from '../../platform/net/mode.ts'
import { createSafeFetch, type SafeFetch } from '../../platform/net/safe-fetch.ts'
import { keyDocuments } from '../../security/auth/key-documents.ts'
import type { SecretSource } from '../../security/secrets/deployment-secrets.ts'
import { unlessBroken } from '../../security/secrets/sealed-address.ts'
import { createSecretBox, type SecretBox } from '../../security/secrets/secret-box.ts'
import type { PublishedJwk } from '../../security/signing/jwk.ts'
import type { Store } from '../../store/database.ts'
import { sealGovernanceQueries } from '../../store/governance/seal-queries.ts'
import { createGovernance, type GovernanceOptions } from './check-commitment.ts'
import type { Governance } from './governance.ts'
import { createIssuerKeys } from './issuer-keys.ts'

export interface GovernanceParts
  extends Pick<GovernanceOptions, 'safeFetch' | 'schemas' | 'own' | 'buyers' | 'agentUrl' | 'policy' | 'box'> {
  readonly config: { readonly mode: Mode; readonly sandbox: boolean }
  /** Way to this machine, where a test gives one. */
  readonly loopbackFetch?: SafeFetch | undefined
  readonly parseJson: (body: Uint8Array) => unknown
  /** The keys under which this server's own tokens verify. */
  readonly publishedKeys: () => Promise<readonly PublishedJwk[]>
}

/** Seals the credentials that this server presents to governance agents. */
export function governanceBox(secret: SecretSource): SecretBox {
  return createSecretBox(secret, 'governance-credentials')
}

/** Seals what governance agents of a store from before are called with. */
export async function sealGovernance(store: Pick<Store, 'transaction'>, secret: SecretSource): Promise<void> {
  const box = governanceBox(secret)
  const open = (sealed: string, place: string) => unlessBroken(() => box.open(sealed, place))
  await store.transaction((tx) => sealGovernanceQueries(tx, { seal: box.seal, open }))
}

/** The seller's side of governance with its ways out and its keys. */
export function composeGovernance(parts: GovernanceParts): Governance {
  const { config, safeFetch, loopbackFetch, parseJson, publishedKeys, own } = parts
  const mayBeLocal = config.sandbox && config.mode === 'development'
  return createGovernance({
    ...parts,
    sandbox: config.sandbox,
    loopbackFetch: mayBeLocal ? (loopbackFetch ?? localFetch()) : undefined,
    keys: createIssuerKeys({
      fetchDocument: keyDocuments(safeFetch),
      parseJson,
      clock: () => new Date(),
      own: { issuer: own.issuer, published: publishedKeys },
    }),
  })
}

function localFetch(): SafeFetch {
  return createSafeFetch({ userAgent: 'adcp-sales-agent governance', mode: 'development', development: {} })
}

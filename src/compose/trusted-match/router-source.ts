import { readFileSync } from 'node:fs'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { MatchRouterSettings } from '../../config/match-router-settings.ts'
import type { ProviderRegistration } from '../../domain/trusted-match/provider-registration.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Schemas } from '../../protocol/schemas.ts'
import { matchKeyPlace } from '../../security/secrets/match-secret-places.ts'
import { createMatchSigner, type MatchKey, type MatchSigner } from '../../security/signing/trusted-match-signature.ts'
import { openStore } from '../../store/open.ts'
import { listMatchKeys } from '../../store/trusted-match/match-keys.ts'
import { listMatchProviders } from '../../store/trusted-match/match-providers.ts'
import { deploymentSecrets } from '../deployment-secrets.ts'
import { startSecretHolder } from '../secret-holder.ts'
import { judgeRegistrations, type RefusedRegistration } from './judge-registrations.ts'
import { matchBox } from './match-box.ts'

/** What a router asks and signs with, as it is now. */
export interface RouterState {
  readonly registrations: readonly ProviderRegistration[]
  /** What the store has and this router does not take: left out alone. */
  readonly refused: readonly RefusedRegistration[]
  readonly signer: MatchSigner
  /** Keys beside the signer's that are still published. */
  readonly retired: readonly MatchKey[]
  /** Differs when anything of it does. */
  readonly version: string
}

/** Where a router learns it. */
export interface RouterSource {
  /** Throws CONFIGURATION_ERROR for a key that is none, and for a registration of a file that is refused. */
  load(): Promise<RouterState>
  close(): Promise<void>
}

/** What the file of a router says; read once, so that each of its registrations has to be right. */
export function fileSource({ signing, providers, development }: MatchRouterSettings, schemas: Schemas): RouterSource {
  return {
    async load() {
      if (!signing) throw refused('signing', 'signing is missing: name a key, or start the router with --data')
      const retired = signing.retired.map((key): MatchKey => ({ kty: 'OKP', crv: 'Ed25519', ...key }))
      const { registrations, refused: wrong } = judgeRegistrations(providers, { schemas, development })
      const [first] = wrong
      if (first) throw refused('providers', `providers: ${first.providerId} is refused: ${first.reason}`)
      return {
        registrations,
        refused: [],
        signer: signerOf(signing.kid, signing.key),
        retired,
        version: '',
      }
    },
    close: async () => {},
  }
}

export interface StoreSourceParts {
  readonly config: Config
  readonly tenantId: string
  /** Whether the router may connect to addresses of this machine, as its file says. */
  readonly development: boolean
  readonly schemas: Schemas
  readonly log: Logger
}

/**
 * What `sales-agent trusted-match providers` and `keys` wrote for a publisher; read again while the router runs. The key is sealed under the deployment's secret, so a
 * rotation of that waits for this process too. A registration that this router does not take is left out alone. Throws CONFIGURATION_ERROR when another running process has another secret.
 */
export async function storeSource({ config, tenantId, development, schemas, log }: StoreSourceParts): Promise<RouterSource> {
  const store = await openStore(config, { create: false })
  const secrets = deploymentSecrets(config)
  const holder = await startSecretHolder({ store, secrets, config, log }).catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  const box = matchBox(secrets)
  return {
    async load() {
      const keys = await listMatchKeys(store.read, tenantId)
      const signing = keys.find(({ retired_at }) => retired_at === null)
      if (!signing) throw refused('tenant', `${tenantId} has no key; run "sales-agent trusted-match keys rotate" first`)
      const stored = (await listMatchProviders(store.read, tenantId)).map(({ registration }) => registration)
      return {
        ...judgeRegistrations(stored, { schemas, development }),
        signer: createMatchSigner(signing.kid, box.open(signing.sealed, matchKeyPlace(tenantId, signing.kid))),
        retired: keys
          .filter((key) => key !== signing)
          .map(({ kid, x, revoked_at }) => ({ kid, kty: 'OKP', crv: 'Ed25519', x, ...(revoked_at !== null && { revoked_at }) })),
        version: JSON.stringify([stored, keys.map(({ kid, retired_at, revoked_at }) => [kid, retired_at, revoked_at])]),
      }
    },
    async close() {
      await holder.stop()
      await store.close()
    },
  }
}

function signerOf(kid: string, path: string): MatchSigner {
  try {
    return createMatchSigner(kid, readFileSync(path, 'utf8'))
  } catch (cause) {
    const advice = `openssl genpkey -algorithm ed25519 -out ${path}`
    throw refused('signing.key', `signing.key has to name a PEM file with a private Ed25519 key (${advice})`, cause)
  }
}

function refused(field: string, message: string, cause?: unknown): AdcpError {
  return new AdcpError('CONFIGURATION_ERROR', message, { field, ...(cause !== undefined && { cause }) })
}

import type { BackendSetup, CreateBackend, SettingsObject } from '../ad-serving/backend-setup.ts'
import { createGamBackend } from '../ad-serving/gam/gam-backend.ts'
import { createManualBackend } from '../ad-serving/manual/manual-backend.ts'
import { createUpstreamBackend } from '../ad-serving/upstream/upstream-backend.ts'
import type { Config } from '../config/config.ts'
import { createOutboundCall, type OutboundCall } from '../platform/net/outbound-call.ts'
import { VERSION } from '../platform/version.ts'
import { isObject } from '../protocol/is-object.ts'
import type { SecretSource } from '../security/secrets/deployment-secrets.ts'
import { createListTokenSeal, type ListTokenSeal } from '../security/secrets/list-token-seal.ts'
import { createSecretBox, SealBroken, type SecretBox } from '../security/secrets/secret-box.ts'
import { credentialsPlace, findCredentials } from '../store/ad-serving/ad-server-credentials.ts'
import type { Store } from '../store/database.ts'

/** Types of ad servers that this program brings along, beside `embedded`, `simulator` and `module`. A publisher may set them up at run time. */
const BACKEND_TYPES: Readonly<Record<string, CreateBackend>> = {
  upstream: createUpstreamBackend,
  google_ad_manager: (setup) => createGamBackend(setup),
  manual: createManualBackend,
}

/** What ad servers of the built-in types are made with. */
export interface BuiltInAdServers {
  readonly types: Readonly<Record<string, CreateBackend>>
  /** Encrypts credentials; the place is {@link credentialsPlace}. */
  readonly box: SecretBox
  /** Opens the tokens of buyers' lists for ad servers of modules. */
  readonly listTokens: ListTokenSeal
  readonly call: OutboundCall
  readonly clock: () => Date
}

/** The built-in types of a deployment. In development mode their calls reach this machine, too. */
export function builtInAdServers({ mode }: Pick<Config, 'mode'>, secret: SecretSource, clock: () => Date): BuiltInAdServers {
  const call = createOutboundCall({ userAgent: `adcp-sales-agent/${VERSION}`, loopback: mode === 'development' })
  return {
    types: BACKEND_TYPES,
    box: createSecretBox(secret, 'ad-server-credentials'),
    listTokens: createListTokenSeal(secret),
    call,
    clock,
  }
}

/** Reads the stored credentials of an ad server at each call. Throws an Error that says what to do when they cannot be decrypted. */
export function storedCredentials(store: Store, box: SecretBox, tenantId: string, name: string): BackendSetup['credentials'] {
  return async () => {
    const found = await findCredentials(store.read, tenantId, name)
    if (!found) return undefined
    try {
      return objectIn(box.open(found.sealed, credentialsPlace(tenantId, name)))
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error
      const message = `the stored credentials of ${name} cannot be decrypted (${error.message}); store them again: sales-agent adservers credentials ${name} --file FILE`
      throw new Error(message, { cause: error })
    }
  }
}

function objectIn(text: string): SettingsObject {
  const value: unknown = JSON.parse(text)
  return isObject(value) ? value : {}
}

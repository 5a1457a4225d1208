import { type Config, givenSecret } from '../config/config.ts'
import { composeGovernance, governanceBox } from '../features/governance/compose.ts'
import type { Governance } from '../features/governance/governance.ts'
import { SEALED } from '../features/webhooks/service.ts'
import { createSafeFetch } from '../platform/net/safe-fetch.ts'
import { VERSION } from '../platform/version.ts'
import { Schemas } from '../protocol/schemas.ts'
import { deploymentSecret, secretPath } from '../security/secrets/deployment-secret.ts'
import { createSecretBox } from '../security/secrets/secret-box.ts'
import { createGovernanceIssuer } from '../security/signing/governance-issuer.ts'
import { storedKeys } from '../security/signing/stored-keys.ts'
import { rememberedBuyers } from '../store/account/remembered-buyers.ts'
import type { Store } from '../store/database.ts'
import type { CatalogueCache } from '../store/product/catalogue-cache.ts'
import { createOwnAuthority } from '../tasks/governance/own-authority.ts'
import { parseJson } from '../transports/http/parse-json.ts'

/** The seller's side of governance for commands that carry out approved work, as the server has it. */
export function governanceOf(
  store: Store,
  config: Config,
  { agentUrl, catalogue }: { readonly agentUrl: string; readonly catalogue: CatalogueCache },
): Governance {
  const secret = deploymentSecret(config.secretFile ?? secretPath(config.data), givenSecret())
  const keys = storedKeys(store, createSecretBox(secret, SEALED.signingKeys), () => new Date())
  const services = { catalogue, governanceTokens: createGovernanceIssuer(keys, agentUrl), wiring: { agentUrl } }
  return composeGovernance({
    config,
    schemas: new Schemas(),
    safeFetch: createSafeFetch({ userAgent: `adcp-sales-agent/${VERSION}`, mode: config.mode }),
    parseJson,
    publishedKeys: () => keys.published(),
    box: governanceBox(secret),
    own: createOwnAuthority(store, agentUrl, () => services),
    buyers: rememberedBuyers(store),
    agentUrl,
  })
}

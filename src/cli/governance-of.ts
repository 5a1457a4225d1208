import { type Config, givenSecret } from '../config.ts'
import { parseJson } from '../doors/http/parse-json.ts'
import { composeGovernance, governanceBox } from '../governance/compose.ts'
import type { Governance } from '../governance/governance.ts'
import { createSafeFetch } from '../net/safe-fetch.ts'
import { Schemas } from '../protocol/schemas.ts'
import { deploymentSecret, secretPath } from '../secrets/deployment-secret.ts'
import { createSecretBox } from '../secrets/secret-box.ts'
import { createGovernanceIssuer } from '../signing/governance-issuer.ts'
import { storedKeys } from '../signing/stored-keys.ts'
import type { CatalogueCache } from '../store/catalogue-cache.ts'
import type { Store } from '../store/database.ts'
import { rememberedBuyers } from '../store/remembered-buyers.ts'
import { createOwnAuthority } from '../tasks/governance/own-authority.ts'
import { VERSION } from '../version.ts'
import { SEALED } from '../webhooks/service.ts'

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

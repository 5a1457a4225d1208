import type { AdServers } from '../ad-serving/ad-servers.ts'
import { type Config, publicOrigin } from '../config/config.ts'
import { createGrantAttestations } from '../features/brands/grant-attestations.ts'
import { storedBrands } from '../features/brands/services.ts'
import { composeGovernance, governanceBox } from '../features/governance/compose.ts'
import type { Governance } from '../features/governance/governance.ts'
import { SEALED } from '../features/webhooks/service.ts'
import { parseJson } from '../platform/decode/parse-json.ts'
import { createSafeFetch } from '../platform/net/safe-fetch.ts'
import { VERSION } from '../platform/version.ts'
import type { Contracts } from '../protocol/contracts.ts'
import type { SecretSource } from '../security/secrets/deployment-secrets.ts'
import type { LastingKeys } from '../security/secrets/lasting-keys.ts'
import { createSecretBox } from '../security/secrets/secret-box.ts'
import { createGovernanceIssuer } from '../security/signing/governance-issuer.ts'
import type { KeyProvider } from '../security/signing/key-provider.ts'
import { storedKeys } from '../security/signing/stored-keys.ts'
import { rememberedBuyers } from '../store/account/remembered-buyers.ts'
import type { Store } from '../store/database.ts'
import { createProductCache, type ProductCache } from '../store/product/product-cache.ts'
import type { ApprovalServices } from '../tasks/approvals/carry-out.ts'
import { createOwnAuthority } from '../tasks/governance/own-authority.ts'

interface ApprovalParts {
  readonly store: Store
  readonly config: Config
  readonly contracts: Contracts
  /** The deployment's secret. */
  readonly secret: SecretSource
  readonly lastingKeys: LastingKeys
  readonly clock: () => Date
  readonly adServers: AdServers
}

/** What approved work is carried out with outside the server: the same ad servers, brands and governance as in it. */
export function composeApprovals(parts: ApprovalParts): ApprovalServices {
  const { store, config, contracts, adServers } = parts
  const agentUrl = `${publicOrigin(config)}/mcp`
  const products = createProductCache(agentUrl)
  const brands = storedBrands(store, parts.lastingKeys, config)
  const keys = storedKeys(store, createSecretBox(parts.secret, SEALED.signingKeys), parts.clock)
  return {
    store,
    contracts,
    adServers,
    products,
    wiring: { agentUrl, conformance: config.conformance, timeZone: config.ads.timeZone },
    governance: composeSellerGovernance(parts, keys, agentUrl, products),
    brands,
    attestations: createGrantAttestations(keys, brands, publicOrigin(config)),
  }
}

function composeSellerGovernance(
  { store, config, contracts, secret }: ApprovalParts,
  keys: KeyProvider,
  agentUrl: string,
  products: ProductCache,
): Governance {
  const services = { products, governanceTokens: createGovernanceIssuer(keys, agentUrl), wiring: { agentUrl } }
  return composeGovernance({
    config,
    schemas: contracts.base.schemas,
    safeFetch: createSafeFetch({ userAgent: `adcp-sales-agent/${VERSION}`, mode: config.mode }),
    parseJson,
    publishedKeys: () => keys.published(),
    box: governanceBox(secret),
    own: createOwnAuthority(store, agentUrl, () => services),
    buyers: rememberedBuyers(store),
    agentUrl,
  })
}

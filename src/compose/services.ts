import type { AdServers } from '../ad-serving/ad-servers.ts'
import { examinesFiles } from '../config/ads-settings.ts'
import type { Config } from '../config/config.ts'
import { formatChooser } from '../domain/creative/canonical/choose-format.ts'
import { createGrantAttestations } from '../features/brands/grant-attestations.ts'
import { createBrandServices } from '../features/brands/services.ts'
import { createSignedAnswers } from '../features/brands/signed-answers.ts'
import type { FeedSource } from '../features/catalogs/feed-source.ts'
import { createClaimVerifier } from '../features/creatives/claim-verifier.ts'
import type { LookupLimit } from '../features/directory/lookup-limit.ts'
import { composeGovernance, type GovernanceParts, governanceBox } from '../features/governance/compose.ts'
import type { SignalSource } from '../features/signals/signal-source.ts'
import type { AccountChanges } from '../features/webhooks/account-changes.ts'
import type { WebhookService } from '../features/webhooks/service.ts'
import type { Services, Wiring } from '../pipeline/services.ts'
import type { Task } from '../pipeline/task.ts'
import { parseJson } from '../platform/decode/parse-json.ts'
import type { SafeFetch } from '../platform/net/safe-fetch.ts'
import type { Contracts } from '../protocol/contracts.ts'
import { keyDocuments } from '../security/auth/key-documents.ts'
import { operatorCheck } from '../security/auth/operators.ts'
import type { SecretSource } from '../security/secrets/deployment-secrets.ts'
import type { LastingKeys } from '../security/secrets/lasting-keys.ts'
import type { ListTokenSeal } from '../security/secrets/list-token-seal.ts'
import { createPseudonyms } from '../security/secrets/pseudonyms.ts'
import { createGovernanceIssuer } from '../security/signing/governance-issuer.ts'
import type { RememberedBuyers } from '../store/account/remembered-buyers.ts'
import { createPreviews } from '../store/creative/previews.ts'
import type { Store } from '../store/database.ts'
import type { ProductCache } from '../store/product/product-cache.ts'
import { createOwnAuthority } from '../tasks/governance/own-authority.ts'
import type { Connections } from './load-connections.ts'
import { createReporting } from './reporting.ts'

/** What is built before the services, and shared with what is no service. */
export interface ServiceParts {
  readonly store: Store
  readonly config: Config
  readonly contracts: Contracts
  readonly tasks: ReadonlyMap<string, Task>
  readonly listTokens: ListTokenSeal
  /** The deployment's secret, from which others follow. */
  readonly secret: SecretSource
  readonly lastingKeys: LastingKeys
  readonly realm: Pick<Wiring, 'agentUrl' | 'resourceMetadata'>
  readonly safeFetch: SafeFetch
  /** Way to this machine, where a test gives one. */
  readonly loopbackFetch: SafeFetch | undefined
  readonly adServers: AdServers
  readonly signals: SignalSource
  /** The publisher's own systems, or what this program brings along. */
  readonly connections: Connections
  readonly feeds: FeedSource
  readonly products: ProductCache
  readonly buyers: RememberedBuyers
  readonly webhooks: WebhookService
  readonly accountChanges: AccountChanges
  readonly clock: () => Date
  readonly directoryLimit: LookupLimit
  /** How long governance agents are waited for; undefined: as long as usual. */
  readonly governancePolicy: GovernanceParts['policy']
}

/** Everything that tasks may use. */
export function composeServices(parts: ServiceParts): Services {
  const {
    store,
    config,
    contracts,
    secret,
    lastingKeys,
    safeFetch,
    adServers,
    signals,
    feeds,
    products,
    webhooks,
    directoryLimit,
  } = parts
  const { agentUrl } = parts.realm
  const documents = { fetchDocument: keyDocuments(safeFetch), parseJson, clock: () => new Date() }
  const governanceSeal = governanceBox(secret)
  const brandServices = createBrandServices(store, { secret, lastingKeys }, documents, config)
  const services: Services = {
    contracts,
    adServers,
    signals,
    operators: operatorCheck(documents),
    ...parts.connections,
    pseudonyms: createPseudonyms(lastingKeys.pseudonyms),
    listTokens: parts.listTokens,
    feeds,
    ...brandServices,
    attestations: createGrantAttestations(webhooks.keys, brandServices.brands, new URL(agentUrl).origin),
    signedAnswers: createSignedAnswers(webhooks.keys, new URL(agentUrl).origin),
    webhooks: webhooks.webhooks,
    accountChanges: parts.accountChanges,
    reporting: createReporting({ store, clock: parts.clock, services: () => services }),
    governanceTokens: createGovernanceIssuer(webhooks.keys, agentUrl),
    governance: composeGovernance({
      config,
      schemas: contracts.base.schemas,
      safeFetch,
      loopbackFetch: parts.loopbackFetch,
      parseJson,
      publishedKeys: () => webhooks.keys.published(),
      box: governanceSeal,
      own: createOwnAuthority(store, agentUrl, () => services),
      buyers: parts.buyers,
      agentUrl,
      policy: parts.governancePolicy,
    }),
    governanceSeal,
    claimVerifier: createClaimVerifier(safeFetch),
    products,
    previews: createPreviews(store, new URL(agentUrl).origin),
    directoryLimit,
    wiring: wiringOf(parts),
  }
  return services
}

/** What the agent says of itself. */
function wiringOf({ config, tasks, realm }: ServiceParts): Wiring {
  return {
    tasks: new Map([...tasks.values()].map((task) => [task.name, task])),
    ...realm,
    formats: formatChooser(realm.agentUrl),
    sandbox: config.sandbox,
    conformance: config.conformance,
    examinesFiles: examinesFiles(config),
    webhookAlgorithms: ['ed25519'],
    signing: {
      ...config.signing,
      requiredFor: new Set(config.signing.requiredFor),
      protocolMethodsRequiredFor: new Set(config.signing.protocolMethodsRequiredFor),
    },
    timeZone: config.ads.timeZone,
    minimumAudienceSize: config.privacy.minimumAudienceSize,
    eventRetentionDays: config.privacy.eventRetentionDays,
    idempotency: { replayTtlSeconds: config.idempotency.replayTtlSeconds, inFlightMaxSeconds: config.idempotency.leaseSeconds },
  }
}

import type { AdServer } from './adapters/adapter.ts'
import { createKeywordClassifier } from './adapters/keyword-classifier.ts'
import { createRuleEvaluator } from './adapters/rule-evaluator.ts'
import type { SignalSource } from './adapters/signal-source.ts'
import { createSimulatedArtifacts } from './adapters/simulated-artifacts.ts'
import { createSimulatedIdentityGraph } from './adapters/simulated-identity-graph.ts'
import { createTemplateBuilder } from './adapters/template-builder.ts'
import { keyDocuments } from './auth/key-documents.ts'
import { operatorCheck } from './auth/operators.ts'
import { createBrandServices } from './brand/services.ts'
import type { FeedSource } from './catalogs/feed-source.ts'
import type { Config } from './config.ts'
import type { LookupLimit } from './directory/lookup-limit.ts'
import { parseJson } from './doors/http/parse-json.ts'
import { composeGovernance, type GovernanceParts, governanceBox } from './governance/compose.ts'
import type { SafeFetch } from './net/safe-fetch.ts'
import { createAnswers } from './pipeline/answers.ts'
import type { Services, Wiring } from './pipeline/services.ts'
import type { Task } from './pipeline/task.ts'
import type { Schemas } from './protocol/schemas.ts'
import { createPseudonyms } from './secrets/pseudonyms.ts'
import { createGovernanceIssuer } from './signing/governance-issuer.ts'
import type { CatalogueCache } from './store/catalogue-cache.ts'
import type { Store } from './store/database.ts'
import { createPreviews } from './store/previews.ts'
import type { RememberedBuyers } from './store/remembered-buyers.ts'
import { createOwnAuthority } from './tasks/governance/own-authority.ts'
import type { WebhookService } from './webhooks/service.ts'

/** What is built before the services, and shared with what is no service. */
export interface ServiceParts {
  readonly store: Store
  readonly config: Config
  readonly schemas: Schemas
  readonly tasks: ReadonlyMap<string, Task>
  /** The deployment's secret, from which others follow. */
  readonly secret: string
  readonly realm: Pick<Wiring, 'agentUrl' | 'resourceMetadata'>
  readonly safeFetch: SafeFetch
  /** Way to this machine, where a test gives one. */
  readonly loopbackFetch: SafeFetch | undefined
  readonly adServer: AdServer
  readonly signals: SignalSource
  readonly feeds: FeedSource
  readonly catalogue: CatalogueCache
  readonly buyers: RememberedBuyers
  readonly webhooks: WebhookService
  readonly directoryLimit: LookupLimit
  /** How long governance agents are waited for; undefined: as long as usual. */
  readonly governancePolicy: GovernanceParts['policy']
}

/** Everything that tasks may use: what is given, and the built-in ports for the rest. */
export function composeServices(parts: ServiceParts): Services {
  const { store, config, schemas, secret, safeFetch, adServer, signals, feeds, catalogue, webhooks, directoryLimit } = parts
  const { agentUrl } = parts.realm
  const documents = { fetchDocument: keyDocuments(safeFetch), parseJson }
  const governanceSeal = governanceBox(secret)
  const services: Services = {
    adServer,
    signals,
    operators: operatorCheck(documents),
    artifacts: createSimulatedArtifacts(),
    contentClassifier: createKeywordClassifier(),
    creativeBuilder: createTemplateBuilder(),
    creativeEvaluator: createRuleEvaluator(),
    identityGraph: createSimulatedIdentityGraph(),
    pseudonyms: createPseudonyms(secret),
    feeds,
    ...createBrandServices(store, secret, documents),
    webhooks: webhooks.webhooks,
    governanceTokens: createGovernanceIssuer(webhooks.keys, agentUrl),
    governance: composeGovernance({
      config,
      schemas,
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
    catalogue,
    productAnswers: createAnswers(),
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
    sandbox: config.sandbox,
    webhookAlgorithms: ['ed25519'],
    signing: { ...config.signing, requiredFor: new Set(config.signing.requiredFor) },
    minimumAudienceSize: config.privacy.minimumAudienceSize,
    eventRetentionDays: config.privacy.eventRetentionDays,
    idempotency: { replayTtlSeconds: config.idempotency.replayTtlSeconds, inFlightMaxSeconds: config.idempotency.leaseSeconds },
  }
}

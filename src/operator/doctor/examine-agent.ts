import type { Config } from '../../config/config.ts'
import type { Tenant } from '../../domain/identity/principal.ts'
import { fetchAgentAuthorizations, type PublisherAuthorization } from '../../features/directory/client.ts'
import { examine, type Instruments } from '../../features/doctor/examine.ts'
import { type Finding, ok, skipped, warning } from '../../features/doctor/finding.ts'
import { examineReleases } from '../../features/doctor/releases.ts'
import { isPlainLoopback } from '../../platform/net/fetch-policy.ts'
import { createSafeFetch, type SafeFetch } from '../../platform/net/safe-fetch.ts'
import { adviceToAdd } from '../../protocol/contract-files/missing-releases.ts'
import { missingLines, presentReleases } from '../../protocol/present-sources.ts'
import { Schemas } from '../../protocol/schemas.ts'
import { storedKeys } from '../../security/signing/stored-keys.ts'
import { listProductionTenants, listTenants } from '../../store/identity/tenants.ts'
import { describeAuthorization } from '../directory/describe-authorization.ts'
import { examineAdServers } from '../examine-ad-servers.ts'
import type { OperatorContext } from '../operator-context.ts'
import { examineSecrets } from '../secrets/examine-secrets.ts'
import { snakeMembers } from '../snake-members.ts'
import { examineMatchProviders } from '../trusted-match/match-provider-health.ts'
import { examineCapCounters } from './examine-cap-counters.ts'
import { examineConnections } from './examine-connections.ts'
import { examineEventLog } from './examine-event-log.ts'
import { examineStore } from './examine-store.ts'

export type { Finding }

/** What the agent's own data folder adds to what is seen from outside. */
export interface Insight {
  readonly known: Pick<Instruments, 'signer' | 'ownKeys' | 'productionTenants'>
  readonly adServers: readonly Finding[]
  /** Systems of the publisher's own. */
  readonly connections: readonly Finding[]
  /** Whether the store can be written, and is whole. */
  readonly store: readonly Finding[]
  /** The log of ad events outside the store, where there is one. */
  readonly eventLog: readonly Finding[]
  /** The counters of frequency caps outside the store, where there are some. */
  readonly capCounters: readonly Finding[]
  /** The deployment's secret and its rotation. */
  readonly secrets: readonly Finding[]
  /** Providers of Trusted Match. */
  readonly matchProviders: readonly Finding[]
  /** The publishers that the agent sells for. */
  readonly publishers: readonly Pick<Tenant, 'tenantId' | 'domain'>[]
}

/** What only the agent's own people can see. */
export async function insightOf(operator: OperatorContext): Promise<Insight> {
  const { store } = operator
  const keys = storedKeys(store, await operator.services.signingKeyBox(), operator.clock)
  return {
    known: {
      signer: await keys.signer('request-signing').catch(() => undefined),
      ownKeys: (await keys.published()).map(({ kid }) => kid),
      productionTenants: await listProductionTenants(store.read),
    },
    adServers: await examineAdServers(operator),
    connections: await examineConnections(operator),
    store: await examineStore(operator),
    eventLog: await examineEventLog(operator),
    capCounters: await examineCapCounters(operator.config.ads),
    secrets: await examineSecrets(operator),
    matchProviders: await examineMatchProviders(operator),
    publishers: await listTenants(store.read),
  }
}

export interface ExamineOptions {
  /** In development an agent at a loopback address over plain HTTP is examined too. */
  readonly mode: Config['mode']
  readonly dataFolder: string
  /** For the agent of this data folder. */
  readonly insight: Insight | undefined
  /** Strict: throws on a repeated key. */
  readonly parseJson: Instruments['parseJson']
}

/** Examines an agent from outside, link by link, as buyers do. Never throws for what it finds. */
export async function examineAgent(agentUrl: string, options: ExamineOptions): Promise<readonly Finding[]> {
  const { dataFolder, insight, parseJson, mode } = options
  const clock = () => new Date()
  const plainLoopback = mode === 'development' && URL.canParse(agentUrl) && isPlainLoopback(new URL(agentUrl))
  const safeFetch = createSafeFetch({
    userAgent: 'adcp-sales-agent doctor',
    mode,
    ...(plainLoopback && { development: { plainHttp: true } }),
  })
  const seen = { safeFetch, probe: { clock }, schemas: new Schemas(), clock, parseJson, plainLoopback }
  const instruments = { ...seen, ...insight?.known }
  return [
    ...(insight ? [releasesOf(dataFolder)] : []),
    ...(await examine(agentUrl, instruments)),
    ...(insight?.adServers ?? []),
    ...(insight?.connections ?? []),
    ...(insight?.matchProviders ?? []),
    ...(insight?.store ?? []),
    ...(insight?.eventLog ?? []),
    ...(insight?.capCounters ?? []),
    ...(insight?.secrets ?? []),
    ...(insight ? await publishersOf(agentUrl, insight.publishers, safeFetch) : []),
  ]
}

/** Buyers look for the agent in the publisher's adagents.json before they buy. */
async function publishersOf(agentUrl: string, publishers: Insight['publishers'], fetch: SafeFetch): Promise<readonly Finding[]> {
  if (!agentUrl.startsWith('https:')) return [skipped('publisher', 'publishers authorise an agent at an https address alone')]
  const domains = publishers.map(({ domain }) => domain)
  const answers = await fetchAgentAuthorizations(agentUrl, domains, { fetch })
  const judged = (answer: PublisherAuthorization): Finding => {
    const said = describeAuthorization(snakeMembers(answer), agentUrl)
    if (answer.authorized) return ok('publisher', said)
    if (!answer.answered)
      return warning('publisher', said, `see that https://${answer.publisherDomain} can be reached, and ask again`)
    return warning('publisher', said, 'publish the adagents.json that "identity show" prints')
  }
  return publishers.flatMap(({ tenantId, domain }) => {
    const answer = answers.get(domain)
    return answer ? [{ ...judged(answer), tenant: tenantId }] : []
  })
}

function releasesOf(dataFolder: string): Finding {
  const missing = missingLines()
  const present = presentReleases(dataFolder).map(({ patch }) => patch)
  return examineReleases(present, missing, adviceToAdd(missing))
}

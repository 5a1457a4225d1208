import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { MatchRouterSettings } from '../../config/match-router-settings.ts'
import { isActive, type ProviderRegistration, signedEndpoint } from '../../domain/trusted-match/provider-registration.ts'
import { createContextRouter } from '../../features/trusted-match/context/context-router.ts'
import { createIdentityRouter } from '../../features/trusted-match/identity/identity-router.ts'
import type { Contradiction, PathParts } from '../../features/trusted-match/path-parts.ts'
import { AnswerRefused } from '../../features/trusted-match/provider-answer.ts'
import { watchProviderHealth } from '../../features/trusted-match/provider-health.ts'
import type { MatchMetrics } from '../../platform/metrics/match-metrics.ts'
import { FetchFailure } from '../../platform/net/fetch-policy.ts'
import type { Lookup } from '../../platform/net/lookup.ts'
import { createProviderClient, type ProviderClient } from '../../platform/net/provider-client.ts'
import type { Schemas } from '../../protocol/schemas.ts'
import { parseMatchJson } from '../../transports/trusted-match/match-json.ts'
import type { RouterState } from './router-source.ts'

export interface RouterPathOptions {
  readonly settings: MatchRouterSettings
  /** Certificates of providers, in PEM; absent: those that Node trusts. */
  readonly ca: string | undefined
  readonly schemas: Schemas
  readonly log: Logger
  readonly clock: () => Date
  readonly lookup: Lookup | undefined
  readonly metrics: { readonly context: MatchMetrics | undefined; readonly identity: MatchMetrics | undefined }
}

/** The two paths of a router for one state of its registrations and keys. */
export interface RouterPaths {
  readonly state: RouterState
  readonly context: ReturnType<typeof createContextRouter>
  readonly identity: ReturnType<typeof createIdentityRouter>
  /** Checks the health of the providers that are due. */
  checkHealth(): Promise<void>
  close(): Promise<void>
}

/** Answers of providers: some thousand offers. */
const MAX_ANSWER_BYTES = 256 * 1024

/** Makes the paths; each has its own connections and caches. Throws FetchFailure for an endpoint whose address the program may not call. */
export function routerPaths(state: RouterState, options: RouterPathOptions): RouterPaths {
  const clients: ProviderClient[] = []
  const health = healthOf(state, options, clients)
  const parts = (path: 'context' | 'identity') => ({ ...partsOf(path, state, options, clients), isReady: health.isReady })
  return {
    state,
    checkHealth: health.check,
    context: createContextRouter(parts('context')),
    identity: createIdentityRouter(parts('identity')),
    close: async () => void (await Promise.all(clients.map((client) => client.close()))),
  }
}

function partsOf(
  path: 'context' | 'identity',
  { registrations, signer }: RouterState,
  options: RouterPathOptions,
  clients: ProviderClient[],
): Omit<PathParts, 'isReady'> {
  const { settings, schemas, log, clock, metrics } = options
  const connect = (registration: ProviderRegistration) => {
    const client = clientOf(registration, options)
    clients.push(client)
    return { registration, client }
  }
  const pathLog = log.child({ path })
  const failed = failures(pathLog)
  const late = lateness(pathLog)
  return {
    providers: registrations.filter((each) => each[`${path}_match`] === true).map(connect),
    signer,
    deadlineMs: settings.deadlineMs,
    cacheSeconds: settings[`${path}CacheSeconds`],
    parseJson: parseMatchJson,
    validate: schemas.validator(`trusted-match/provider-${path}-match-response.json`),
    clock,
    onContradiction: contradictions(metrics[path], pathLog),
    onProvider(providerId, outcome, elapsedMs, error) {
      metrics[path]?.provider(providerId, outcome, elapsedMs)
      if (outcome === 'error') failed(providerId, error)
      late(providerId, outcome === 'timeout')
      // Which provider is asked about a user shows what tokens the user has.
      if (outcome !== 'answered' && path === 'context')
        pathLog.debug({ provider: providerId, outcome }, 'no answer of a provider')
    },
  }
}

const CONTRADICTIONS = {
  seller: 'an offer names another seller agent than the one that was asked for; the name is dropped',
  package: 'several providers call one package eligible, though each package is of one provider',
} as const

/** Logs why a provider is left out, once for each provider and kind of failure, as contradictions are. */
function failures(log: Logger): (provider: string, error: unknown) => void {
  const logged = new LRUCache<string, true>({ max: 1_000 })
  return (provider, error) => {
    const reason = error instanceof Error ? error.message : String(error)
    const name = `${provider} ${error instanceof FetchFailure ? error.code : reason}`
    if (logged.has(name)) return
    logged.set(name, true)
    const detail = error instanceof AnswerRefused ? error.detail : undefined
    log.warn({ provider, reason, ...(detail !== undefined && { detail }) }, 'a provider fails, and is left out of answers')
  }
}

/** Answers in a row that a provider has to miss before the log says so: single ones are part of every day. */
const MANY_LATE = 10

/** Logs once that a provider never answers in its time: its offers are missing, and nothing else says why. */
function lateness(log: Logger): (provider: string, isLate: boolean) => void {
  const inARow = new LRUCache<string, number>({ max: 1_000 })
  const logged = new LRUCache<string, true>({ max: 1_000 })
  return (provider, isLate) => {
    const count = isLate ? (inARow.get(provider) ?? 0) + 1 : 0
    inARow.set(provider, count)
    if (count < MANY_LATE || logged.has(provider)) return
    logged.set(provider, true)
    log.warn({ provider, inARow: count }, 'a provider does not answer in its time, and is left out of answers')
  }
}

/** Counts contradictions, and logs each once: how often providers are asked about users shows what tokens users have. */
function contradictions(metrics: MatchMetrics | undefined, log: Logger): PathParts['onContradiction'] {
  const logged = new LRUCache<string, true>({ max: 1_000 })
  return (kind: Contradiction, providers) => {
    metrics?.contradiction(providers)
    const name = `${kind} ${providers.join()}`
    if (logged.has(name)) return
    logged.set(name, true)
    log.warn({ providers }, CONTRADICTIONS[kind])
  }
}

/** Health is asked over connections of its own, and says nothing of any request. */
function healthOf({ registrations }: RouterState, options: RouterPathOptions, clients: ProviderClient[]) {
  const { settings, log } = options
  const watched = settings.healthSeconds === 0 ? [] : registrations.filter(isActive)
  return watchProviderHealth({
    providers: watched.map((registration) => {
      const client = clientOf(registration, options)
      clients.push(client)
      return { providerId: registration.provider_id, status: (signal) => client.status('/health', signal) }
    }),
    everyMs: settings.healthSeconds * 1000,
    clock: () => performance.now(),
    onChange: (provider, isReady) =>
      log.warn({ provider }, isReady ? 'a provider is ready again' : 'a provider is not ready, and is asked nothing until it is'),
  })
}

function clientOf({ endpoint }: ProviderRegistration, { settings, ca, lookup }: RouterPathOptions): ProviderClient {
  return createProviderClient({
    endpoint: signedEndpoint(endpoint),
    maxBytes: MAX_ANSWER_BYTES,
    lookup,
    ...(settings.development && { development: {} }),
    ...(ca !== undefined && { ca }),
  })
}

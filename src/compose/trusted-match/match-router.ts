import { readFileSync } from 'node:fs'
import type { Logger } from 'pino'
import type { MatchRouterSettings } from '../../config/match-router-settings.ts'
import { withEnoughTraffic } from '../../features/trusted-match/identity/enough-traffic.ts'
import { originAllowed, publisherAuthentication } from '../../features/trusted-match/publishers.ts'
import { createBodyMetrics } from '../../platform/metrics/body-refusals.ts'
import { createMatchMetrics } from '../../platform/metrics/match-metrics.ts'
import { createRegistrationMetrics } from '../../platform/metrics/registration-metrics.ts'
import type { Lookup } from '../../platform/net/lookup.ts'
import { startBackgroundJob } from '../../platform/scheduler/background-job.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Schemas } from '../../protocol/schemas.ts'
import { contextRoute } from '../../transports/trusted-match/context/context-route.ts'
import { healthRoute } from '../../transports/trusted-match/health-route.ts'
import { identityRoute } from '../../transports/trusted-match/identity/identity-route.ts'
import { reply, replyJson } from '../../transports/trusted-match/match-exchange.ts'
import { listenForMatches } from '../../transports/trusted-match/match-listener.ts'
import type { MatchRoute } from '../../transports/trusted-match/match-route.ts'
import { PAGE_SCRIPT } from '../../transports/trusted-match/page-script.ts'
import { healthLimit } from './health-limit.ts'
import { metricsRoute } from './metrics-route.ts'
import { publisherLimits } from './publisher-limits.ts'
import { type RouterPathOptions, type RouterPaths, routerPaths } from './router-paths.ts'
import { fileSource, type RouterSource, type RouterState } from './router-source.ts'

export interface RunningMatchRouter {
  readonly port: number
  readonly metricsPort: number | undefined
  /** Reads registrations and keys again, now. */
  refresh(): Promise<void>
  close(): Promise<void>
}

export interface MatchRouterOptions {
  /** Of AdCP 3.2. */
  readonly schemas: Schemas
  readonly log: Logger
  /** Of registrations and keys; default: the file. Closed with the router. */
  readonly source?: RouterSource
  readonly clock?: () => Date
  /** Resolves names of providers. */
  readonly lookup?: Lookup
}

const DRAIN_MS = 5_000
/** How soon a provider whose check is due is checked. */
const HEALTH_TICK_MS = 1_000

/**
 * Starts a router of Trusted Match. Its two paths have connections, caches, metrics and logs of their own. A registration of the store
 * that the router does not take is left out alone. Throws CONFIGURATION_ERROR for one of the file that is refused and for a key that is none.
 */
export async function startMatchRouter(
  settings: MatchRouterSettings,
  { schemas, log, clock = () => new Date(), lookup, source = fileSource(settings, schemas) }: MatchRouterOptions,
): Promise<RunningMatchRouter> {
  const measured = settings.metricsPort !== undefined
  const metrics = {
    context: measured ? createMatchMetrics('context') : undefined,
    identity: measured ? createMatchMetrics('identity') : undefined,
  }
  const registered = measured ? createRegistrationMetrics() : undefined
  const ca = settings.providerCa === undefined ? undefined : caOf(settings.providerCa)
  const tellRefused = refusals(log)
  const onState = ({ registrations, refused }: RouterState) => {
    tellRefused(refused)
    registered?.show({ taken: registrations.length, refused: refused.map(({ providerId }) => providerId) })
  }
  const live = await livePaths(source, { settings, ca, schemas, log, clock, lookup, metrics }, onState)
  const asked = {
    authenticate: publisherAuthentication(settings.publishers),
    originAllowed: originAllowed(settings.publishers),
  }
  /** Counted for each path by itself: neither may tell how many requests the other had. */
  const limits = () => publisherLimits(settings.publishers)
  const watched = (path: 'context' | 'identity') => ({
    onAnswer: (elapsedMs: number) => metrics[path]?.answered(elapsedMs),
    onFailure: (error: unknown) => log.child({ path }).error({ err: error }, 'a request could not be answered'),
  })
  const routes = new Map<string, MatchRoute>([
    [
      '/context',
      contextRoute(schemas, {
        ...asked,
        ...watched('context'),
        isOverLimit: limits(),
        match: (message) => live.paths.context(message),
      }),
    ],
    [
      '/identity',
      identityRoute(schemas, {
        ...asked,
        ...watched('identity'),
        isOverLimit: limits(),
        match: withEnoughTraffic({ perSecond: settings.identityMinimumPerSecond, now: () => clock().getTime() }, (message) =>
          live.paths.identity(message),
        ),
      }),
    ],
    ['/health', healthRoute({ check: async () => {}, waitOf: healthLimit() })],
    // For what watches this process alone; its answer costs nothing.
    ['/healthz', async (_request, response) => replyJson(response, { status: 'ok' })],
    ['/tmp.js', scriptRoute],
    // Keys are published for verifiers to fetch, those of before with their revocation (specification, "Key revocation").
    [
      '/.well-known/agent-signing-key.json',
      async (_request, response) => replyJson(response, { keys: [live.paths.state.signer.key, ...live.paths.state.retired] }),
    ],
  ])
  const onFailure = (error: unknown) => log.error({ err: error }, 'a request failed')
  const listener = await listenForMatches({ ...settings, drainMs: DRAIN_MS, onFailure }, routes)
  const scrapes =
    settings.metricsPort === undefined
      ? undefined
      : await listenForMatches(
          { host: '127.0.0.1', port: settings.metricsPort, drainMs: DRAIN_MS, onFailure },
          new Map([['/metrics', metricsRoute([createBodyMetrics(), metrics.context, metrics.identity, registered])]]),
        )
  const job = startBackgroundJob(
    () => live.refresh().then(() => false),
    settings.refreshSeconds * 1000,
    (error) => log.error({ err: error }, 'registrations and keys cannot be read; those of before are used'),
  )
  const health = startBackgroundJob(
    () => live.paths.checkHealth().then(() => false),
    HEALTH_TICK_MS,
    (error) => log.error({ err: error }, 'the health of providers cannot be checked'),
  )
  return {
    port: listener.port,
    metricsPort: scrapes?.port,
    refresh: live.refresh,
    async close() {
      await job.stop()
      // A check that is under way ends with its connection.
      const checked = health.stop()
      await listener.close()
      await scrapes?.close()
      await live.close()
      await checked
      await source.close()
    },
  }
}

/** The paths as registrations and keys are now. Those of before finish what they were asked. */
async function livePaths(source: RouterSource, options: RouterPathOptions, onState: (state: RouterState) => void) {
  const live = { paths: routerPaths(await source.load(), options) }
  onState(live.paths.state)
  const closing = new Set<Promise<void>>()
  const closeLater = (paths: RouterPaths) => {
    const closed = new Promise<void>((resolve) => setTimeout(resolve, options.settings.deadlineMs * 2))
      .then(() => paths.close())
      .finally(() => closing.delete(closed))
    closing.add(closed)
  }
  return {
    get paths() {
      return live.paths
    },
    async refresh() {
      const state = await source.load()
      const before = live.paths
      if (state.version === before.state.version) return
      live.paths = routerPaths(state, options)
      onState(state)
      closeLater(before)
    },
    async close() {
      await live.paths.close()
      await Promise.all(closing)
    },
  }
}

/** Logs which registrations are left out, and why: once, until they change. */
function refusals(log: Logger): (refused: RouterState['refused']) => void {
  let told = new Set<string>()
  return (refused) => {
    const before = told
    told = new Set()
    for (const { providerId, reason } of refused) {
      const name = `${providerId} ${reason}`
      told.add(name)
      if (!before.has(name)) log.warn({ provider: providerId, reason }, 'a registration is left out; all others are used')
    }
  }
}

function caOf(providerCa: string): string {
  try {
    return readFileSync(providerCa, 'utf8')
  } catch (cause) {
    const message = 'providerCa has to name a PEM file of certificates that can be read'
    throw new AdcpError('CONFIGURATION_ERROR', message, { field: 'providerCa', cause })
  }
}

/** What pages load; the same for all. */
const scriptRoute: MatchRoute = async (_request, response) => {
  reply(response, 200, 'text/javascript; charset=utf-8', PAGE_SCRIPT)
}

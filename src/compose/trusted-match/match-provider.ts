import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Logger } from 'pino'
import type { MatchProviderSettings } from '../../config/match-provider-settings.ts'
import { windowMs } from '../../domain/trusted-match/identity/frequency-caps.ts'
import { canonicalSeller } from '../../domain/trusted-match/match-package.ts'
import { signedEndpoint } from '../../domain/trusted-match/provider-registration.ts'
import type { AvailablePackage } from '../../domain/trusted-match/synced-package.ts'
import { watchChanges } from '../../features/trusted-match/recent-change.ts'
import { routerVerification } from '../../features/trusted-match/router-keys.ts'
import { createBodyMetrics } from '../../platform/metrics/body-refusals.ts'
import { createMatchMetrics } from '../../platform/metrics/match-metrics.ts'
import { checkedUrl } from '../../platform/net/fetch-policy.ts'
import { createSafeFetch, type SafeFetch } from '../../platform/net/safe-fetch.ts'
import { VERSION } from '../../platform/version.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Schemas } from '../../protocol/schemas.ts'
import { createTmpxSeal, x25519PrivateKey } from '../../security/secrets/tmpx-seal.ts'
import { addTenant, findTenant } from '../../store/identity/tenants.ts'
import { openStore, type StorePlace } from '../../store/open.ts'
import { listSyncedPackages, replaceSyncedPackages } from '../../store/trusted-match/synced-packages.ts'
import { listenForMatches } from '../../transports/trusted-match/match-listener.ts'
import { syncRoute } from '../../transports/trusted-match/sync-route.ts'
import { enrolledSellers } from './enrolled-sellers.ts'
import { metricsRoute } from './metrics-route.ts'
import {
  audienceIndex,
  contextPackagesIn,
  identityPackagesIn,
  packagesWithoutRules,
  waitingPackages,
} from './provider-packages.ts'
import { providerRoutes } from './provider-routes.ts'
import { refreshed } from './refreshed.ts'
import { routerKeyLoader } from './router-key-loader.ts'

export interface RunningMatchProvider {
  readonly port: number
  readonly metricsPort: number | undefined
  close(): Promise<void>
}

export interface MatchProviderOptions {
  /** Of AdCP 3.2. */
  readonly schemas: Schemas
  /** Where packages, exposures and caps are kept. */
  readonly place: StorePlace
  readonly log: Logger
  readonly clock?: () => Date
  /** For keys of routers and adagents.json; default: by the settings. */
  readonly fetch?: SafeFetch
}

/** Whose rows those of a provider that runs alone are. */
export const OWN_TENANT = 'provider'
const DRAIN_MS = 5_000
/** How soon a package that another process stored is matched. */
const PACKAGES_MS = 1_000

/** Starts a provider of Trusted Match. Throws CONFIGURATION_ERROR for a key that is none and for audiences that cannot be read. */
export async function startMatchProvider(
  settings: MatchProviderSettings,
  { place, ...options }: MatchProviderOptions,
): Promise<RunningMatchProvider> {
  const store = await openStore(place)
  try {
    const running = await startOn(store, settings, options)
    return {
      ...running,
      async close() {
        await running.close()
        await store.close()
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

async function startOn(
  store: Awaited<ReturnType<typeof openStore>>,
  settings: MatchProviderSettings,
  { schemas, log, clock = () => new Date(), fetch = providerFetch(settings) }: Omit<MatchProviderOptions, 'place'>,
): Promise<RunningMatchProvider> {
  requireReadableKeys(settings)
  const endpoint = signedEndpoint(settings.endpoint)
  const { pathname, hostname } = new URL(endpoint)
  if (!(await findTenant(store.read, OWN_TENANT)))
    await store.transaction((tx) => addTenant(tx, { tenantId: OWN_TENANT, name: OWN_TENANT, domain: hostname }, clock()))
  const synced = () => listSyncedPackages(store.read, OWN_TENANT)
  const waiting = waitingPackages(settings, await synced())
  if (waiting.length > 0)
    log.warn(
      { packages: waiting },
      'packages are not matched until their seller syncs them, or the file gives each its mediaBuyId',
    )
  const current = { version: () => store.dataVersion(), everyMs: PACKAGES_MS, clock: () => performance.now() }
  const measured = settings.metricsPort !== undefined
  const metrics = {
    context: measured ? createMatchMetrics('context') : undefined,
    identity: measured ? createMatchMetrics('identity') : undefined,
  }
  const policies = settings.caps.map(({ label, most, window }) => ({
    label,
    most,
    windowMs: windowMs(window),
    bucketMs: windowMs({ interval: 1, unit: window.unit }),
  }))
  const replace = async (agentUrl: string, packages: readonly AvailablePackage[]) => {
    await store.transaction((tx) => replaceSyncedPackages(tx, OWN_TENANT, canonicalSeller(agentUrl) ?? '', packages))
    const now = await synced()
    const waiting = waitingPackages(settings, now).slice(0, MOST_NAMED)
    const withoutRules = packagesWithoutRules(settings, now).length
    log.info({ seller: agentUrl, packages: packages.length, withoutRules, waiting }, describeSync(packages.length, withoutRules))
  }
  const sellers = enrolledSellers({ sellers: settings.sellers, fetch, drop: (agentUrl) => replace(agentUrl, []), clock, log })
  const context = watchChanges(
    refreshed(async () => contextPackagesIn(settings, await synced()), current),
    current.clock,
  )
  const identity = watchChanges(
    refreshed(async () => identityPackagesIn(settings, await synced()), current),
    current.clock,
  )
  const onFailure = (error: unknown) => log.error({ err: error }, 'a request failed')
  const routes = providerRoutes({
    schemas,
    store,
    tenantId: OWN_TENANT,
    endpoint,
    verify: routerVerification({ load: routerKeyLoader(settings.routers, fetch, schemas), clock, onFailure }),
    contextPackages: sellers.authorised(context.load),
    identityPackages: sellers.authorised(identity.load),
    changedLately: { context: context.changedLately, identity: identity.changedLately },
    policies: async () => policies,
    audiencesOf: configured('audiences', 'a text file with one uid_type:token per line', () => audienceIndex(settings, clock)),
    seal: await createTmpxSeal(settings.tmpx.kid, tmpxKey(settings)),
    slot: settings.tmpx.slot,
    country: settings.country,
    contextCacheSeconds: settings.contextCacheSeconds,
    serveWindowSeconds: settings.serveWindowSeconds,
    newId: randomUUID,
    clock,
    log,
    metrics,
  })
  const sync = syncRoute({
    schemas,
    sellers: settings.sellers.map(({ agentUrl, keys }) => ({ agentUrl, keys: keys.map(({ sha256 }) => sha256) })),
    refusalOf: sellers.refusalOf,
    replace,
    onFailure,
  })
  const base = pathname === '/' ? '' : pathname
  const all = Object.entries({ ...routes, packages: sync }).map(([name, route]) => [`${base}/${name}`, route] as const)
  const listener = await listenForMatches({ ...settings, drainMs: DRAIN_MS, onFailure }, new Map(all))
  const scrapes = measured
    ? await listenForMatches(
        { host: '127.0.0.1', port: settings.metricsPort ?? 0, drainMs: DRAIN_MS, onFailure },
        new Map([['/metrics', metricsRoute([createBodyMetrics(), metrics.context, metrics.identity])]]),
      )
    : undefined
  return {
    port: listener.port,
    metricsPort: scrapes?.port,
    async close() {
      await listener.close()
      await scrapes?.close()
      await sellers.close()
    },
  }
}

/** Ids of packages that one line of the log names. */
const MOST_NAMED = 20

function describeSync(packages: number, withoutRules: number): string {
  if (packages === 0)
    return 'a seller has no package in flight: nothing of it is matched; its "trusted-match providers list" says why'
  if (withoutRules === 0) return 'a seller synced its packages'
  return 'a seller synced its packages; those without rules in the file are offered in every context and to everybody'
}

/** Throws CONFIGURATION_ERROR for an address of keys that is never read: every request of its router would be refused. */
function requireReadableKeys({ routers, development }: MatchProviderSettings): void {
  for (const [index, { keysUrl }] of routers.entries()) {
    if (keysUrl === undefined) continue
    try {
      checkedUrl(keysUrl, undefined, development)
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : 'it is not https'
      const wayOut = development ? '' : '; addresses of this machine need development: true in the file'
      throw new AdcpError('CONFIGURATION_ERROR', `routers[${index}].keysUrl is refused: ${reason}${wayOut}`, {
        field: 'routers',
        cause,
      })
    }
  }
}

/** The way out of a provider: to routers for their keys, and to publishers for their adagents.json. */
export function providerFetch({ development }: Pick<MatchProviderSettings, 'development'>): SafeFetch {
  return createSafeFetch({
    userAgent: `adcp-sales-agent/${VERSION}`,
    mode: development ? 'development' : 'production',
    ...(development && { development: { plainHttp: true } }),
  })
}

function tmpxKey({ tmpx }: MatchProviderSettings): Uint8Array {
  return configured('tmpx.key', `a PEM file with a private X25519 key (openssl genpkey -algorithm x25519 -out ${tmpx.key})`, () =>
    x25519PrivateKey(readFileSync(tmpx.key, 'utf8')),
  )
}

function configured<Value>(field: string, wanted: string, read: () => Value): Value {
  try {
    return read()
  } catch (cause) {
    throw new AdcpError('CONFIGURATION_ERROR', `${field} has to name ${wanted}`, { field, cause })
  }
}

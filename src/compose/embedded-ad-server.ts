import type { Logger } from 'pino'
import type { AdServerBackend } from '../ad-serving/backend.ts'
import type { CapCounters } from '../ad-serving/embedded/counters/cap-counters.ts'
import type { CountedChoicesParts } from '../ad-serving/embedded/counters/counted-choices.ts'
import type { DurableEvents } from '../ad-serving/embedded/durable-events.ts'
import { createEmbeddedBackend } from '../ad-serving/embedded/embedded-backend.ts'
import { creativeFileFetcher } from '../ad-serving/embedded/files/fetch-creative-file.ts'
import { createHostedFiles } from '../ad-serving/embedded/files/hosted-files.ts'
import type { KnownPlaces } from '../ad-serving/embedded/line-terms.ts'
import { createAdPreviews } from '../ad-serving/embedded/previews.ts'
import { createRandomTexts } from '../ad-serving/embedded/random-texts.ts'
import { createEmbeddedService, type EmbeddedService } from '../ad-serving/embedded/service.ts'
import { createAdTokens } from '../ad-serving/embedded/tokens.ts'
import { adsOrigin } from '../config/ads-settings.ts'
import { type Config, publicOrigin } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import { isTimeZone } from '../domain/calendar/local-time.ts'
import type { Format } from '../domain/creative/formats/format.ts'
import type { FormatKey } from '../domain/creative/formats/format-id.ts'
import { knownFormat } from '../domain/creative/resolve-format.ts'
import { timeZoneOf as timeZoneSetting } from '../domain/identity/publisher-settings.ts'
import { readPlacements } from '../operator/placements/read-placements.ts'
import { type GeoDatabase, openGeoDatabase } from '../platform/decode/geo-database.ts'
import type { PeerOf } from '../platform/net/peer.ts'
import { createSafeFetch, type SafeFetch } from '../platform/net/safe-fetch.ts'
import { VERSION } from '../platform/version.ts'
import type { Schemas } from '../protocol/schemas.ts'
import type { SecretSource } from '../security/secrets/deployment-secrets.ts'
import { derivedSecrets } from '../security/secrets/derived-secret.ts'
import type { LastingKeys } from '../security/secrets/lasting-keys.ts'
import { createPseudonyms } from '../security/secrets/pseudonyms.ts'
import { findTenantCreative } from '../store/creative/creatives.ts'
import type { Store } from '../store/database.ts'
import { decisionIdPrefix } from '../store/embedded/events.ts'
import type { EventSpool } from '../store/embedded/spool/event-spool.ts'
import { findTenant } from '../store/identity/tenants.ts'
import type { ProductCache, ProductSnapshot } from '../store/product/product-cache.ts'
import { adRoutes } from '../transports/ads/ad-routes.ts'
import type { DemoPublisher } from '../transports/ads/demo-page.ts'
import type { Routes } from '../transports/http/server.ts'
import { type AdEventParts, openAdEvents } from './ad-events.ts'
import { adLimits } from './ad-limits.ts'
import { openCapCounters } from './cap-counters.ts'
import { previewTokens } from './preview-tokens.ts'

export interface EmbeddedParts {
  readonly store: Store
  readonly config: Config
  readonly products: ProductCache
  readonly agentUrl: string
  readonly clock: () => Date
  /** Fetches files of creatives; default: https from public addresses. */
  readonly safeFetch?: SafeFetch | undefined
}

export interface ServingParts extends Omit<EmbeddedParts, 'safeFetch'>, AdEventParts {
  readonly schemas: Schemas
  /** The deployment's secret, from which others follow. */
  readonly secret: SecretSource
  readonly lastingKeys: LastingKeys
  /** Counts requests for ads that were answered and not counted. */
  readonly countUncounted?: ((requests: number) => void) | undefined
  /** Counts how decisions learned what a visitor has had, where that is counted outside the store. */
  readonly countCapped?: CountedChoicesParts['count']
}

/** The embedded ad server at work. */
export interface EmbeddedServing {
  readonly service: EmbeddedService
  readonly events: DurableEvents
  readonly spool: EventSpool
  readonly counters: CapCounters | undefined
  /** Its addresses, below an origin. `peerOf` says whose limits a request counts for. */
  routes(origin: string, peerOf: PeerOf): Routes
}

/** How often delivery is imported into the ledger in the background, in milliseconds. Development: soon, for people who try the program out. */
const REPORT_EVERY_MS = { development: 5_000, production: 300_000 }
/** The least time between two imports of an order that is being read, in milliseconds. */
const LIVE_EVERY_MS = { development: 0, production: 2_000 }

type ProductsOf = (tenantId: string) => Promise<ProductSnapshot | undefined>

function productsReader({ store, products }: Pick<EmbeddedParts, 'store' | 'products'>): ProductsOf {
  return async (tenantId) => {
    const tenant = await findTenant(store.read, tenantId)
    return tenant && products.get(store.read, tenant, undefined)
  }
}

/** The format that a creative names, where the publisher knows it. */
function formatReader(productsOf: ProductsOf, agentUrl: string) {
  return async (tenantId: string, formatId: FormatKey): Promise<Format | undefined> => {
    const found = await productsOf(tenantId)
    if (!found) return undefined
    const sold = found.products.flatMap(({ offer }) => offer.format_ids)
    return knownFormat(formatId, { formats: found.formats, sold, agentUrl, conformance: false })
  }
}

/** In development, creatives often name files that do not exist. */
function hostsFiles({ ads, mode }: Config): boolean {
  return (ads.creativeFiles ?? (mode === 'production' ? 'hosted' : 'linked')) === 'hosted'
}

function ownFetch({ mode }: Config): SafeFetch {
  return createSafeFetch({ userAgent: `adcp-sales-agent/${VERSION}`, mode })
}

/** The headers that say where a visitor is. In development, where no other source is named, a page or a test may send them itself. */
function placeHeaders({ ads, mode }: Config): {
  readonly countryHeader?: string | undefined
  readonly regionHeader?: string | undefined
} {
  const { countryHeader, regionHeader, geoDatabase } = ads
  const isNamed = countryHeader !== undefined || regionHeader !== undefined || geoDatabase !== undefined
  return isNamed || mode === 'production'
    ? { countryHeader, regionHeader }
    : { countryHeader: 'x-country', regionHeader: 'x-region' }
}

/** What the sources of places that are configured say of a visitor. */
function knownPlaces(config: Config): KnownPlaces {
  const { countryHeader, regionHeader } = placeHeaders(config)
  const hasDatabase = config.ads.geoDatabase !== undefined
  return { countries: hasDatabase || countryHeader !== undefined, regions: hasDatabase || regionHeader !== undefined }
}

/** The embedded ad server as orders are reconciled with it. Throws ConfigError for a time zone that does not exist. */
export function embeddedBackend(parts: EmbeddedParts): AdServerBackend {
  const { store, clock, agentUrl, config } = parts
  const { timeZone } = config.ads
  requireTimeZone(timeZone)
  const productsOf = productsReader(parts)
  const placesIn = (found: ProductSnapshot | undefined, productId: string) =>
    (found?.byId.get(productId)?.offer.placements ?? []).map(({ placement_id }) => placement_id)
  return createEmbeddedBackend({
    ...(hostsFiles(config) && { fetchFile: creativeFileFetcher(parts.safeFetch ?? ownFetch(config)) }),
    places: knownPlaces(config),
    reportEveryMs: REPORT_EVERY_MS[config.mode],
    liveEveryMs: LIVE_EVERY_MS[config.mode],
    store,
    clock,
    timeZoneOf: async (tenantId) => timeZoneSetting((await findTenant(store.read, tenantId))?.settings ?? {}, timeZone),
    placesOf: async (tenantId, productId) => placesIn(await productsOf(tenantId), productId),
    formatOf: formatReader(productsOf, agentUrl),
    async listInventory(tenantId) {
      const placements = await readPlacements(store.read, tenantId)
      const alone = (await products(parts, tenantId)).filter(({ offer }) => offer.placements === undefined)
      const units = [
        ...placements.map(({ placement_id: id, name, sizes }) => ({ id, name, ...(sizes.length > 0 && { sizes }) })),
        ...alone.map(({ id, offer }) => ({ id, name: offer.name })),
      ]
      return { units: units.map(({ id, ...unit }) => ({ id: `${tenantId}/${id}`, ...unit, kind: 'placement' as const })) }
    },
  })
}

async function products(parts: EmbeddedParts, tenantId: string) {
  return (await productsReader(parts)(tenantId))?.products ?? []
}

/** Starts decisions and events. Throws ConfigError for a database of places that cannot be read. */
export async function startEmbeddedServing(parts: ServingParts): Promise<EmbeddedServing> {
  const { store, config, clock, secret, log, schemas } = parts
  const { geoDatabase } = config.ads
  const { countryHeader, regionHeader } = placeHeaders(config)
  const geo = geoDatabase === undefined ? undefined : await openGeo(geoDatabase, log)
  const pseudonyms = createPseudonyms(parts.lastingKeys.pseudonyms)
  const productsOf = productsReader(parts)
  const unguessable = createRandomTexts(12)
  const counters = await openCapCounters(parts)
  const { events, spool } = await openAdEvents(parts)
  const service = createEmbeddedService({
    store,
    clock,
    events,
    counters,
    countCapped: parts.countCapped,
    tokens: createAdTokens(derivedSecrets(secret, 'ad-tokens', 'served')),
    chance: Math.random,
    newId: () => `${decisionIdPrefix(clock())}${unguessable()}`,
    onError: (error) => log.error({ err: error }, 'reading lines of the embedded ad server failed'),
    onUncounted(requests) {
      parts.countUncounted?.(requests)
      log.error({ requests }, 'requests for ads were not counted: too many counts wait for the store')
    },
  })
  const previews = createAdPreviews({
    tokens: previewTokens(secret),
    clock,
    findCreative: (key) => findTenantCreative(store.read, key),
    formatOf: formatReader(productsOf, parts.agentUrl),
  })
  const files = createHostedFiles(store.read)
  return {
    service,
    events,
    spool,
    counters,
    routes: (origin, peerOf) =>
      adRoutes({
        embedded: service,
        previews,
        files,
        schemas,
        origin,
        pseudonymOf: (tenantId, visitorId) => pseudonyms.of(tenantId, 'visitor', visitorId),
        addressOf: (request) => peerOf(request).address,
        countryHeader,
        regionHeader,
        placeOf: geo && ((request) => geo.placeOf(peerOf(request).address ?? '')),
        limits: adLimits(config, peerOf),
        ...(config.mode === 'development' && { demo: demoReader(parts) }),
      }),
  }
}

/** What the demo page shows of a publisher. */
function demoReader({ store, products }: Pick<EmbeddedParts, 'store' | 'products'>) {
  return async (tenantId: string): Promise<DemoPublisher | undefined> => {
    const tenant = await findTenant(store.read, tenantId)
    if (!tenant) return
    return { name: tenant.name, products: (await products.get(store.read, tenant, undefined)).products }
  }
}

/** Origin under which pages reach the ad server of a deployment. */
export function embeddedOrigin(config: Config): string {
  return adsOrigin(config.ads, publicOrigin(config))
}

async function openGeo(path: string, log: Logger): Promise<GeoDatabase> {
  try {
    return await openGeoDatabase(path, (error) =>
      log.error({ err: error }, 'the new database of places cannot be read; the old one is used'),
    )
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const message = `is "${path}", which cannot be read as a database in MaxMind DB format: ${reason}`
    throw new ConfigError([{ key: 'ads.geoDatabase', message, source: 'configuration' }])
  }
}

function requireTimeZone(timeZone: string): void {
  if (isTimeZone(timeZone)) return
  const message = `is "${timeZone}", which is no IANA time zone; write one such as Europe/Berlin, or UTC`
  throw new ConfigError([{ key: 'ads.timeZone', message, source: 'configuration' }])
}

import { LRUCache } from 'lru-cache'
import type { TargetingOverlay } from '../../domain/product/targeting-overlay.ts'
import { limitConcurrency } from '../../platform/concurrency/limit-concurrency.ts'
import type { Availability, AvailabilityQuery } from '../ad-server.ts'
import type { AdServerLog } from '../define-ad-server.ts'
import { plannedAvailability } from '../planned-availability.ts'
import { askAvailability } from './availability-forecast.ts'
import { gamFrequencyCaps } from './frequency-caps.ts'
import { GamOutage } from './gam-error.ts'
import type { GamOptions, GamProduct } from './gam-options.ts'
import type { GamParts } from './gam-parts.ts'
import { gamDimensions, gamTargeting } from './targeting.ts'
import { askTraffic } from './traffic-forecast.ts'

export interface ForecastParts extends Pick<GamParts, 'client' | 'soap' | 'options' | 'lookups' | 'clock'> {
  readonly log: AdServerLog
}

/** Forecasts of a network change with its bookings; a burst of quotes asks once, and again after a booking of ours. */
const TTL_MS = 60_000
const MOST = 1_000
/** Forecasts that are asked for at a time: each is some seconds of work for the network, whose quota counts them apart. */
const AT_A_TIME = 4
/** Forecasts that wait for those; a page of products has some dozens. */
const MOST_WAITING = 500

export type GamForecast = (queries: readonly AvailabilityQuery[]) => Promise<readonly Availability[]>

/**
 * Availability by the daily capacity of products, and no more than the network has left for a line with the flight and the targeting that are asked about. Where it gives no
 * availability, its traffic forecast counts, and without that the daily capacity: what does not fit, it refuses when it is booked. Throws AdcpError, UNSUPPORTED_FEATURE, for
 * a targeting that the network has no member for.
 */
export function createGamForecast(parts: ForecastParts): GamForecast {
  const known = new LRUCache<string, Promise<number | undefined>>({ max: MOST, ttl: TTL_MS })
  const inTurn = limitConcurrency(
    AT_A_TIME,
    MOST_WAITING,
    () => new GamOutage('too many forecasts wait for Google Ad Manager', 'none'),
  )
  const left = (query: Asked, product: GamProduct, available: number) => {
    const { productId, flight, targeting } = query
    const key = JSON.stringify([productId, flight.startsAt, flight.endsAt, targeting ?? null, available])
    const found = known.get(key)
    if (found) return found
    const asked = inTurn(() => leftThere(parts, query, product))
    known.set(key, asked)
    asked.catch(() => known.delete(key))
    return asked
  }
  return async (queries) => {
    const planned = await plannedAvailability(queries)
    return Promise.all(
      queries.map(async (query, index) => {
        const { productId, impressions } = query
        // Of a targeting that it cannot be asked about, no line is booked either.
        const targeting = query.targeting && isAskable(parts.options, query.targeting) ? query.targeting : undefined
        const own = planned[index] ?? { productId, available: 0, sufficient: false }
        const { products, overbook } = parts.options
        const product = Object.hasOwn(products, productId) ? products[productId] : undefined
        if (!product || overbook) return own
        const network = await left({ ...query, targeting }, product, own.available)
        if (network === undefined) return own
        const available = Math.min(own.available, network)
        const sufficient = own.sufficient && impressions <= network
        return { productId, available, sufficient, ...(targeting && { forTargeting: true as const }) }
      }),
    )
  }
}

type Asked = Omit<AvailabilityQuery, 'targeting'> & { readonly targeting: TargetingOverlay | undefined }

function isAskable(options: GamOptions, targeting: TargetingOverlay): boolean {
  const known: readonly string[] = gamDimensions(options)
  return Object.keys(targeting).every((name) => known.includes(name))
}

/** What the network has left; undefined: it does not say. */
async function leftThere(parts: ForecastParts, query: Asked, product: GamProduct): Promise<number | undefined> {
  const { client, soap, lookups, clock, log } = parts
  const { productId, flight, impressions, targeting: overlay = null } = query
  const targeting = await gamTargeting(client.network, product, overlay, lookups)
  const frequencyCaps = gamFrequencyCaps(overlay?.frequency_cap)
  const line = { product, flight, targeting, frequencyCaps, impressions: Math.max(1, impressions), now: clock() }
  const found = await askAvailability(soap, line).catch((err: unknown) => {
    log.warn({ product: productId, err }, 'the network forecasts no availability; its traffic counts')
    return undefined
  })
  if (found !== undefined) return found
  return askTraffic(client, targeting, flight).catch((err: unknown) => {
    log.warn({ product: productId, err }, 'the network gives no traffic forecast; availability is the daily capacity')
    return undefined
  })
}

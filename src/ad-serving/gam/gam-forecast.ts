import { LRUCache } from 'lru-cache'
import { dayCountOf, dayRangeOf, dayText } from '../../domain/media-buy/flight.ts'
import type { Availability, AvailabilityQuery } from '../ad-server.ts'
import type { AdServerLog } from '../define-ad-server.ts'
import { plannedAvailability } from '../planned-availability.ts'
import type { GamClient, Message } from './client.ts'
import type { GamOptions, GamProduct } from './gam-options.ts'
import type { Lookups } from './lookups.ts'
import { countOf, dateOf, dayOf, messageOf } from './messages.ts'
import { gamTargeting } from './targeting.ts'

export interface ForecastParts {
  readonly client: GamClient
  readonly options: GamOptions
  readonly lookups: Lookups
  readonly log: AdServerLog
}

/** What the network expects to have left of a product, by day `YYYY-MM-DD` of the network's time zone. */
type LeftByDay = ReadonlyMap<string, number>

/** Forecasts of a network change with its bookings; a burst of quotes asks once. */
const TTL_MS = 10 * 60_000
const MOST = 1_000
/** Longest flight that is forecast, and longest series that is read: some years. */
const MOST_DAYS = 2_000

export type GamForecast = (queries: readonly AvailabilityQuery[]) => Promise<readonly Availability[]>

/**
 * Availability by the daily capacity of products, and no more than the network expects to have unsold: its traffic forecast for where the product is,
 * less what it expects to be sold (`runTrafficData`; the API forecasts line items that exist, and no others). Days beyond its forecast count as the mean
 * of those it has. A network that does not answer or has no forecast leaves it at the daily capacity: what does not fit, it refuses when it is booked.
 */
export function createGamForecast({ client, options, lookups, log }: ForecastParts): GamForecast {
  const known = new LRUCache<string, Promise<LeftByDay>>({ max: MOST, ttl: TTL_MS })
  const left = (productId: string, product: GamProduct, days: readonly string[]) => {
    const key = `${productId} ${days[0]} ${days.at(-1)}`
    const found = known.get(key)
    if (found) return found
    const asked = askTraffic(client, product, lookups, days)
    known.set(key, asked)
    asked.catch(() => known.delete(key))
    return asked
  }
  return async (queries) => {
    const planned = plannedAvailability(queries)
    return Promise.all(
      queries.map(async ({ productId, flight, impressions }, index) => {
        const own = planned[index] ?? { productId, available: 0, sufficient: false }
        const product = Object.hasOwn(options.products, productId) ? options.products[productId] : undefined
        if (!product || options.overbook || dayCountOf(flight) > MOST_DAYS) return own
        const { first, last } = dayRangeOf(flight)
        const days = Array.from({ length: last - first + 1 }, (_, at) => dayText(first + at))
        const byDay = await left(productId, product, days).catch((error: unknown) => {
          log.warn(
            { product: productId, err: error },
            'the network gives no traffic forecast; availability is the daily capacity',
          )
          return new Map<string, number>()
        })
        if (byDay.size === 0) return own
        const mean = [...byDay.values()].reduce((sum, value) => sum + value, 0) / byDay.size
        const network = Math.floor(days.reduce((sum, day) => sum + (byDay.get(day) ?? mean), 0))
        return { productId, available: Math.min(own.available, network), sufficient: own.sufficient && impressions <= network }
      }),
    )
  }
}

async function askTraffic(client: GamClient, product: GamProduct, lookups: Lookups, days: readonly string[]): Promise<LeftByDay> {
  const body = {
    targeting: await gamTargeting(client.network, product, null, lookups),
    requestedDateRange: { startDate: dateOf(days[0] ?? ''), endDate: dateOf(days.at(-1) ?? '') },
  }
  const answer = await client.post(`${client.network}:runTrafficData`, body, 'repeatable')
  const expected = seriesOf(messageOf(answer, 'forecastedTimeSeries'))
  const sold = seriesOf(messageOf(answer, 'forecastedAssignedTimeSeries'))
  return new Map([...expected].map(([day, count]) => [day, Math.max(0, count - (sold.get(day) ?? 0))]))
}

const DAY_MS = 86_400_000
/** Values of a series by day. */
function seriesOf(series: Message | undefined): ReadonlyMap<string, number> {
  const first = dayOf(messageOf(messageOf(series, 'timeSeriesDateRange'), 'startDate'))
  const values = Array.isArray(series?.values) ? series.values.slice(0, MOST_DAYS) : []
  if (first === undefined) return new Map()
  const start = Date.parse(`${first}T00:00:00Z`)
  return new Map(
    values.map((value, index) => [new Date(start + index * DAY_MS).toISOString().slice(0, 10), countOf({ value }, 'value')]),
  )
}

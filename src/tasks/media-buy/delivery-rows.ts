import type { AdServers } from '../../ad-serving/ad-servers.ts'
import { breakDown } from '../../domain/media-buy/breakdown.ts'
import { type DayMetrics, type DayRange, type Metrics, sumDays } from '../../domain/media-buy/delivery.ts'
import { DAY_MS } from '../../domain/media-buy/flight.ts'
import { yieldToEventLoop } from '../../platform/yield-to-event-loop.ts'
import type { Db } from '../../store/database.ts'
import { listTenantOrders, type OrderPosition, positionIn } from '../../store/media-buy/order-list.ts'
import { type ObservedOrder, observeOrders, statusesOfOrders } from './observe-orders.ts'

/** What one package delivered: on one day, or over the range; by one creative, or by all. */
export interface DeliveryRow {
  readonly order: ObservedOrder
  readonly productId: string
  readonly packageId: string
  /** UTC day `YYYY-MM-DD`; empty for the whole range. */
  readonly day: string
  /** Empty where it is not asked for, and where the ad server does not report creatives. */
  readonly creativeId: string
  readonly metrics: Metrics
}

interface Wanted {
  readonly tenantId: string
  readonly range: Required<DayRange>
  /** One row a day. */
  readonly byDay: boolean
  /** One row a creative. */
  readonly byCreative: boolean
  readonly conformance: boolean
  readonly now: Date
}

/** Orders that are read and reported at once, before other work runs: one of them takes up to a millisecond. */
const PAGE = 50

/**
 * Delivery of every order of a publisher that ran in a range of days, in order of their ends; other work runs between the pages. Throws
 * SERVICE_UNAVAILABLE when an ad server does not report.
 */
export async function* deliveryRows(db: Db, adServers: AdServers, wanted: Wanted): AsyncGenerator<DeliveryRow> {
  const { tenantId, range, now, conformance } = wanted
  const observer = { tenantId, now, conformance }
  const until = new Date(Date.parse(range.last) + DAY_MS).toISOString()
  const filter = { from: `${range.first}T00:00:00.000Z`, until, now }
  let after: OrderPosition | undefined
  for (;;) {
    const page = { sort: 'ends_at' as const, descending: false, after, limit: PAGE }
    const orders = await listTenantOrders(db, tenantId, filter, page)
    const observed = await observeOrders(adServers, observer, await statusesOfOrders(db, observer, orders))
    for (const order of observed) yield* rowsOf(order, wanted, adServers)
    const last = orders.at(-1)
    if (!last || orders.length < PAGE) return
    after = positionIn('ends_at', last, 0)
    await yieldToEventLoop()
  }
}

function* rowsOf(order: ObservedOrder, wanted: Wanted, adServers: AdServers): Generator<DeliveryRow> {
  const { range, byDay, byCreative, tenantId } = wanted
  const { simulated } = adServers.of(tenantId, order)
  for (const { packageId, productId } of order.buy.packages) {
    const days = (order.delivery.packages.get(packageId)?.days ?? []).filter(({ day }) => day >= range.first && day <= range.last)
    if (days.length === 0) continue
    for (const { day, ...metrics } of byDay ? days : [whole(days)]) {
      const common = { order, productId, packageId, day }
      const parts = byCreative && simulated ? creativeParts(order, packageId) : []
      if (parts.length === 0) yield { ...common, creativeId: '', metrics }
      for (const { label, metrics: share } of breakDown(metrics, parts, order.buy.currency))
        yield { ...common, creativeId: label, metrics: share }
    }
  }
}

function whole(days: readonly DayMetrics[]): DayMetrics {
  return { ...sumDays(days).total, day: '' }
}

/** The simulator rotates what could serve by weight; what an ad server knows of its creatives it has to report itself. */
function creativeParts({ creatives }: ObservedOrder, packageId: string) {
  const served = (creatives.get(packageId) ?? []).filter(
    ({ servesFrom, served = [] }) => servesFrom !== undefined || served.length > 0,
  )
  const weights = served.map(({ creativeId, weight = 100 }) => ({ label: creativeId, weight }))
  return weights.every(({ weight }) => weight === 0) ? weights.map((part) => ({ ...part, weight: 1 })) : weights
}

import type { AdServers } from '../../ad-serving/ad-servers.ts'
import { breakDown } from '../../domain/media-buy/breakdown.ts'
import type { Metrics } from '../../domain/media-buy/delivery.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { DeliverySource } from '../../store/ad-serving/rows.ts'
import type { Db } from '../../store/database.ts'
import { listTenantOrders, type OrderPosition } from '../../store/media-buy/order-list.ts'
import { type ObservedOrder, type OrderInStatus, observeOrders, statusesOfOrders } from './observe-orders.ts'

/** What one package delivered on one day, by one creative or by all. */
export interface DeliveryRow {
  readonly order: ObservedOrder
  readonly productId: string
  readonly packageId: string
  /** Day of the publisher `YYYY-MM-DD`. */
  readonly day: string
  /** Empty where it is not asked for, and where the ad server does not report creatives. */
  readonly creativeId: string
  readonly metrics: Metrics
}

export interface WantedRows {
  readonly tenantId: string
  /** Moments, ISO 8601 UTC: only orders whose flight touches them; `until` is exclusive. */
  readonly from?: string
  readonly until?: string
  /** Only orders whose flight ends by then, ISO 8601 UTC. */
  readonly endsBefore?: string | undefined
  readonly sources: readonly DeliverySource[]
  readonly buyer?: string | undefined
  readonly product?: string | undefined
  /** One row a creative. */
  readonly byCreative: boolean
  /** Also orders that cost nobody money. */
  readonly sandbox: boolean
  readonly conformance: boolean
  readonly now: Date
}

/** Orders that are read and reported at once, before other work runs: one of them takes up to a millisecond. */
const PAGE = 50

/**
 * Delivery by day of the orders of a publisher that ran in a stretch of time and whose delivery has these sources, in order of their ends; other work runs
 * between the pages. Throws SERVICE_UNAVAILABLE when an ad server does not report.
 */
export async function* deliveryRows(db: Db, adServers: AdServers, wanted: WantedRows): AsyncGenerator<DeliveryRow> {
  const { tenantId, now, conformance, sandbox } = wanted
  const observer = { tenantId, now, conformance }
  for await (const page of orderPages(db, wanted)) {
    const orders = (await statusesOfOrders(db, observer, page)).filter((order) => sandbox || !order.sandbox)
    const observed = await observeOrders({ db, adServers }, observer, orders)
    for (const order of observed) yield* rowsOf(order, adServers.of(tenantId, order).simulated && wanted.byCreative)
    await yieldToEventLoop()
  }
}

/** The same orders page by page. */
export async function* orderPages(db: Db, wanted: Omit<WantedRows, 'byCreative' | 'sandbox' | 'conformance'>) {
  const { tenantId, from, until, endsBefore, now, buyer, product, sources } = wanted
  const filter = { from, until, endsBefore, now, buyer, product, sources }
  let after: OrderPosition | undefined
  do {
    const { orders, end } = await listTenantOrders(db, tenantId, filter, {
      sort: 'ends_at',
      descending: false,
      after,
      limit: PAGE,
    })
    if (orders.length > 0) yield orders
    after = end
  } while (after)
}

/** What an order delivered, by package and day; `byCreative`: divided among its creatives by weight, as the simulator does. */
export function* rowsOf(order: ObservedOrder, byCreative: boolean): Generator<DeliveryRow> {
  for (const { packageId, productId, pricing } of order.buy.packages) {
    const parts = byCreative ? creativeParts(order, packageId) : []
    for (const { day, ...metrics } of order.delivery.packages.get(packageId)?.days ?? []) {
      const common = { order, productId, packageId, day }
      if (parts.length === 0) yield { ...common, creativeId: '', metrics }
      for (const { label, metrics: share } of breakDown(metrics, parts, pricing))
        yield { ...common, creativeId: label, metrics: share }
    }
  }
}

/** The simulator rotates what could serve by weight; what an ad server knows of its creatives it has to report itself. */
function creativeParts({ creatives }: OrderInStatus, packageId: string) {
  const served = (creatives.get(packageId) ?? []).filter(
    ({ servesFrom, served = [] }) => servesFrom !== undefined || served.length > 0,
  )
  const weights = served.map(({ creativeId, weight = 100 }) => ({ label: creativeId, weight }))
  return weights.every(({ weight }) => weight === 0) ? weights.map((part) => ({ ...part, weight: 1 })) : weights
}

import type { AdServers } from '../../ad-serving/ad-servers.ts'
import { type BuyDelivery, deliveryInSteps, packagesInSteps } from '../../domain/media-buy/delivery.ts'
import { mediaBuyStatus } from '../../domain/media-buy/lifecycle.ts'
import type { CreativeFact, CreativeFacts } from '../../domain/media-buy/media-buy.ts'
import type { MediaBuyStatus } from '../../domain/product/media-buy-status.ts'
import { giveWay, inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { sandboxAccountsAmong } from '../../store/account/tenant-accounts.ts'
import { daysOfPackages, deliveryZone } from '../../store/ad-serving/delivery-sums.ts'
import type { Db } from '../../store/database.ts'
import { findPrincipals } from '../../store/identity/principals.ts'
import type { TenantOrder } from '../../store/media-buy/order-list.ts'
import { creativeFactsOf } from './creative-facts.ts'
import { reportsOf } from './orders.ts'

/** An order with what its buyer's creative library says of it. */
export interface OrderInStatus extends TenantOrder {
  readonly buyerName: string
  /** Whether it costs nobody money: its buyer is a sandbox agent, or its account a sandbox account. */
  readonly sandbox: boolean
  readonly status: MediaBuyStatus
  /** By package id. */
  readonly creatives: CreativeFacts
}

/** An order with what the ad server reports of it. */
export interface ObservedOrder extends OrderInStatus {
  readonly delivery: BuyDelivery
}

interface Observer {
  readonly tenantId: string
  readonly now: Date
  /** Whether the accounts of sandbox buyers count as one (see `Principal.conformance`). */
  readonly conformance: boolean
}

/** Status of orders of any buyers: two queries for buyers and accounts, and two for the creatives of each. */
export async function statusesOfOrders(
  db: Db,
  { tenantId, now, conformance }: Observer,
  orders: readonly TenantOrder[],
): Promise<OrderInStatus[]> {
  const principalIds = [...new Set(orders.map(({ principalId }) => principalId))]
  const buyers = new Map((await findPrincipals(db, tenantId, principalIds)).map((row) => [row.principal_id, row]))
  const accountIds = [...new Set(orders.map(({ buy }) => buy.accountId))]
  const sandboxAccounts = new Set(await sandboxAccountsAmong(db, tenantId, accountIds))
  const creatives = new Map<string, readonly CreativeFact[]>()
  for (const principalId of principalIds) {
    const sandbox = buyers.get(principalId)?.sandbox === 1
    const agent = { tenantId, principalId, sandbox, conformance: sandbox && conformance }
    const own = orders.filter((order) => order.principalId === principalId).map(({ buy }) => buy)
    for (const [packageId, facts] of await creativeFactsOf(db, agent, own)) creatives.set(packageId, facts)
  }
  return orders.map((order) => {
    const row = buyers.get(order.principalId)
    const buyerName = row?.name ?? order.principalId
    const sandbox = row?.sandbox === 1 || sandboxAccounts.has(order.buy.accountId)
    const own = order.buy.packages.flatMap(({ packageId }): [string, readonly CreativeFact[]][] => {
      const facts = creatives.get(packageId)
      return facts ? [[packageId, facts]] : []
    })
    return { ...order, buyerName, sandbox, status: mediaBuyStatus(order.buy, creatives, now), creatives: new Map(own) }
  })
}

/** Where delivery is read: the daily sums, and the ad servers of what is not in them. */
interface DeliveryReaders {
  readonly db: Db
  readonly adServers: AdServers
}

/**
 * Orders with their delivery so far by day of the publisher, in one request to each ad server; what was counted until now is imported before. Throws SERVICE_UNAVAILABLE when one cannot be reached.
 */
export async function observeOrders(
  { db, adServers }: DeliveryReaders,
  { tenantId, now }: Pick<Observer, 'tenantId' | 'now'>,
  orders: readonly OrderInStatus[],
): Promise<ObservedOrder[]> {
  await adServers.importOnRead(
    tenantId,
    orders.filter(isInSums).map(({ buy }) => buy),
  )
  const asked = orders.filter((order) => !isInSums(order))
  const creatives: CreativeFacts = new Map(asked.flatMap((order) => [...order.creatives]))
  const timeZone = await deliveryZone(db, tenantId)
  // Which ad server a line is booked in follows from its id, whoever bought it.
  const context = { services: { adServers }, principal: { tenantId, sandbox: false }, now, timeZone }
  const buys = asked.map(({ buy }) => buy)
  const reports = await reportsOf(context, buys, creatives)
  const summed = orders.filter(isInSums).flatMap(({ buy }) => buy.packages.map(({ packageId }) => packageId))
  const days = await daysOfPackages(db, tenantId, summed)
  const observed: ObservedOrder[] = []
  for (const order of orders) {
    const steps = isInSums(order)
      ? packagesInSteps(order.buy, ({ packageId }) => days.get(packageId) ?? [])
      : deliveryInSteps(order.buy, reports.get(order.buy.mediaBuyId) ?? [])
    observed.push({ ...order, delivery: await inTurns(steps) })
    await giveWay()
  }
  return observed
}

function isInSums({ deliverySource }: OrderInStatus): boolean {
  return deliverySource === 'ledger' || deliverySource === 'settled'
}

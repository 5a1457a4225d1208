import { deliveryOf } from '../../domain/media-buy/delivery.ts'
import type { CreativeFacts, MediaBuy } from '../../domain/media-buy/media-buy.ts'
import type { Update } from '../../domain/media-buy/update.ts'
import type { Owner } from '../../store/account/accounts.ts'
import { addAssignment, replaceAssignments } from '../../store/creative/creative-assignments.ts'
import type { Db } from '../../store/database.ts'
import { adServerOf, lineOrders, type OrderContext, reportsOf, withBooking } from './orders.ts'

/** Writes the creative assignments of an update. */
export async function assign(tx: Db, owner: Owner, { assignments, additions }: Update, now: Date): Promise<void> {
  for (const [packageId, list] of assignments) await replaceAssignments(tx, owner, packageId, list, now)
  for (const [packageId, list] of additions) {
    for (const assignment of list) await addAssignment(tx, owner, packageId, assignment, now)
  }
}

/** What each package has spent by the ad server's report, micros by package id. */
export async function spentBy(context: OrderContext, buy: MediaBuy, creatives: CreativeFacts): Promise<Map<string, number>> {
  const reports = await reportsOf(context, [buy], creatives)
  const { packages } = deliveryOf(buy, reports.get(buy.mediaBuyId) ?? [])
  return new Map([...packages].map(([packageId, { total }]) => [packageId, total.spendMicros]))
}

/** Brings the order to its new state: canceled, or with its lines as they are now. Nothing is sent when nothing changed. */
export async function changeAtAdServer(
  context: Pick<OrderContext, 'principal' | 'account' | 'services'>,
  anchor: string,
  before: MediaBuy,
  buy: MediaBuy,
): Promise<MediaBuy> {
  if (buy.revision === before.revision) return buy
  const adServer = adServerOf(context)
  if (buy.cancellation) {
    await adServer.cancel(anchor, buy.orderId)
    return buy
  }
  const ended = buy.packages.filter((pkg, index) => pkg.cancellation && !before.packages[index]?.cancellation)
  if (ended.length > 0)
    await adServer.cancel(
      anchor,
      buy.orderId,
      ended.map((pkg) => pkg.lineId),
    )
  return withBooking(buy, await adServer.change(anchor, buy.orderId, lineOrders(buy.packages), buy.mediaBuyId))
}

import { readIds } from '../../ad-serving/external-id.ts'
import { unchangeable } from '../../domain/ad-serving/unkeepable.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { deliveryOf } from '../../domain/media-buy/delivery.ts'
import type { CreativeFacts, MediaBuy, Package } from '../../domain/media-buy/media-buy.ts'
import type { Counted } from '../../domain/media-buy/progress.ts'
import type { Update } from '../../domain/media-buy/update.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { addAssignment, replaceAssignments } from '../../store/creative/change-assignments.ts'
import type { Db } from '../../store/database.ts'
import {
  adServerOf,
  isHeldToProduction,
  lineOrders,
  type OrderContext,
  reportsOf,
  requireKeepable,
  withBooking,
} from './orders.ts'

/** Writes the creative assignments of an update. */
export async function assign(tx: Db, owner: PrincipalRef, { assignments, additions }: Update, now: Date): Promise<void> {
  for (const [packageId, list] of assignments) await replaceAssignments(tx, owner, packageId, list, now)
  for (const [packageId, list] of additions) {
    for (const assignment of list) await addAssignment(tx, owner, packageId, assignment, now)
  }
}

/** What each package has spent by the ad server's report, micros by package id. */
export async function spentBy(context: OrderContext, buy: MediaBuy, creatives: CreativeFacts): Promise<Map<string, number>> {
  const counted = await countedBy(context, buy, creatives)
  return new Map([...counted].map(([packageId, { spendMicros }]) => [packageId, spendMicros]))
}

/** What was counted of each package by the ad server's report, by package id. */
export async function countedBy(
  context: OrderContext,
  buy: MediaBuy,
  creatives: CreativeFacts,
): Promise<ReadonlyMap<string, Counted>> {
  const reports = await reportsOf(context, [buy], creatives)
  const { packages } = deliveryOf(buy, reports.get(buy.mediaBuyId) ?? [])
  return new Map([...packages].map(([packageId, { total }]) => [packageId, total]))
}

/** Brings the order to its new state: canceled, or with its lines as they are now. Nothing is sent when nothing changed. */
export async function changeAtAdServer(
  context: Pick<OrderContext, 'principal' | 'account' | 'services'>,
  anchor: string,
  before: MediaBuy,
  buy: MediaBuy,
): Promise<MediaBuy> {
  if (buy.revision === before.revision) return buy
  requirePossible(context, before, buy)
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

/** Throws UNSUPPORTED_FEATURE for a change that the ad servers of a media buy cannot make, and for packages that they cannot keep; asks no one. */
export function requirePossible(
  context: Pick<OrderContext, 'principal' | 'account' | 'services'>,
  before: MediaBuy,
  buy: MediaBuy,
): void {
  if (buy.revision === before.revision) return
  requireChangeable(context, before, buy)
  if (!buy.cancellation) requireKeepable(context, buy.packages)
}

function requireChangeable(
  context: Pick<OrderContext, 'principal' | 'account' | 'services'>,
  before: MediaBuy,
  buy: MediaBuy,
): void {
  const { principal, services } = context
  const used = services.adServers.list(principal.tenantId)
  const ofProduct = (id: string) => used.find(({ products }) => products?.includes(id)) ?? used.find(({ products }) => !products)
  const nameOf = ({ lineId, productId }: Package) =>
    isHeldToProduction(context) ? ofProduct(productId)?.name : readIds(lineId)[0]?.adServer
  for (const [name, { backend }] of services.adServers.backends(principal.tenantId)) {
    const own = before.packages.filter((pkg) => nameOf(pkg) === name)
    const ids = new Set(own.map(({ packageId }) => packageId))
    const [first] = unchangeable(before, buy, ids, backend.capabilities)
    if (!first) continue
    const message = `the ad server of this media buy cannot make ${first.message}; ask the publisher, or order anew`
    throw new AdcpError('UNSUPPORTED_FEATURE', message, { field: first.field })
  }
}

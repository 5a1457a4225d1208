import type { Assignment, MediaBuy } from '../../domain/media-buy/media-buy.ts'
import type { Product } from '../../domain/product/product.ts'
import { requestOrders } from '../../store/ad-serving/ad-server-orders.ts'
import { replaceAssignments } from '../../store/creative/change-assignments.ts'
import type { Db } from '../../store/database.ts'
import { type Hold, releaseHoldings, takeHolds } from '../../store/media-buy/inventory-holds.ts'
import { insertMediaBuy } from '../../store/media-buy/media-buys.ts'
import { type OrderContext, poolOf, reconciledWith } from './orders.ts'
import { reserve } from './reservations.ts'

export interface BookedOrder {
  readonly buy: MediaBuy
  readonly products: ReadonlyMap<string, Product>
  readonly assignments: readonly (readonly [packageId: string, assignments: readonly Assignment[]])[]
}

/**
 * Writes an order that the ad server has booked: inventory, media buy, creative assignments. Throws PRODUCT_UNAVAILABLE when the
 * inventory went to somebody else meanwhile. What its proposal held becomes its own.
 */
export async function recordOrder(tx: Db, context: OrderContext, { buy, products, assignments }: BookedOrder): Promise<void> {
  await reserve(tx, poolOf(context), await takeHeldFor(tx, context, buy), buy.packages, products)
  await insertBooked(tx, context, buy)
  for (const [packageId, list] of assignments) await replaceAssignments(tx, context.principal, packageId, list, context.now)
}

/** Writes the media buy and has the ad servers that are reconciled brought to it. */
async function insertBooked(tx: Db, context: OrderContext, buy: MediaBuy): Promise<void> {
  const reconciled = reconciledWith(context, buy)
  // Nothing of a new order was delivered, so no totals have to follow.
  await insertMediaBuy(tx, context.principal, buy, reconciled?.source)
  if (reconciled) await requestOrders(tx, context.principal, buy.mediaBuyId, reconciled.names, context.now)
}

/** What the proposal of an order held, ended here. In another pool (a live proposal that is bought for a sandbox account) it is only given back. */
async function takeHeldFor(tx: Db, context: OrderContext, { proposalId }: MediaBuy): Promise<readonly Hold[]> {
  if (proposalId === undefined) return []
  const held = await takeHolds(tx, context.principal, proposalId)
  const { tenantId, pool } = poolOf(context)
  const elsewhere = held.find((hold) => hold.pool !== pool)
  if (!elsewhere) return held
  await releaseHoldings(tx, { tenantId, pool: elsewhere.pool }, held)
  return []
}

import type { Assignment, MediaBuy } from '../../domain/media-buy/media-buy.ts'
import type { Product } from '../../domain/product/product.ts'
import { replaceAssignments } from '../../store/creative/change-assignments.ts'
import type { Db } from '../../store/database.ts'
import { insertMediaBuy } from '../../store/media-buy/media-buys.ts'
import { type OrderContext, poolOf, requestReconciliation, reserve } from './orders.ts'

export interface BookedOrder {
  readonly buy: MediaBuy
  readonly products: ReadonlyMap<string, Product>
  readonly assignments: readonly (readonly [packageId: string, assignments: readonly Assignment[]])[]
}

/**
 * Writes an order that the ad server has booked: inventory, media buy, creative assignments. Throws PRODUCT_UNAVAILABLE when the
 * inventory went to somebody else meanwhile.
 */
export async function recordOrder(tx: Db, context: OrderContext, { buy, products, assignments }: BookedOrder): Promise<void> {
  await reserve(tx, poolOf(context), [], buy.packages, products)
  await insertMediaBuy(tx, context.principal, buy)
  await requestReconciliation(tx, context, buy)
  for (const [packageId, list] of assignments) await replaceAssignments(tx, context.principal, packageId, list, context.now)
}

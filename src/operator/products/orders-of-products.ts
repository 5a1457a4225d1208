import { liveOrdersOf } from '../../store/media-buy/orders-of-products.ts'
import type { OperatorContext } from '../operator-context.ts'

/** Running and coming orders of a product. */
export interface ProductOrders {
  readonly product_id: string
  readonly orders: number
  /** Ids of up to five of them. */
  readonly examples: readonly string[]
}

/** Orders that run, or will, with these products: taking a product off sale does not end them. */
export async function ordersOfProducts(
  { store, clock }: OperatorContext,
  tenantId: string,
  productIds: readonly string[],
): Promise<readonly ProductOrders[]> {
  const found = await liveOrdersOf(store.read, tenantId, productIds, clock())
  return found.map(({ productId, orders, examples }) => ({ product_id: productId, orders, examples }))
}

import type { Store } from '../../src/store/database.ts'
import { growOrders } from './grow/grow-orders.ts'
import { growProducts } from './grow/grow-products.ts'
import { growRecords } from './grow/grow-records.ts'

/** What a publisher is grown to. */
export interface PublisherSize {
  readonly orders: number
  readonly products: number
}

/**
 * Grows a publisher to a size by copies of rows that the server wrote itself: its newest order with its package, and its first products; with each order come the
 * records that it leaves behind. `now` is the time of the server. A hundred thousand orders take about a minute.
 */
export async function growPublisher(store: Store, tenantId: string, size: PublisherSize, now: Date): Promise<void> {
  await growProducts(store, tenantId, size.products)
  if (size.orders <= 1) return
  const { from, owner } = await growOrders(store, tenantId, size.orders, now)
  await growRecords(store, owner, { from, to: size.orders }, now)
}

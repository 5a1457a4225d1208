import type { ManualOrders } from '../../src/domain/ad-serving/manual-order.ts'

/** For ad servers that have an API. */
export const NO_MANUAL_ORDERS: ManualOrders = {
  find: async () => undefined,
  change: async () => undefined,
  delivery: async () => [],
}

import type { OrderOrigin } from '../../domain/order/order-origin.ts'

/** The pages of orders by their origin: the folder of their addresses. */
export const ORDER_PAGES = {
  buyer: 'orders',
  entered: 'direct-orders',
  adopted: 'adopted-orders',
} as const satisfies Readonly<Record<OrderOrigin, string>>

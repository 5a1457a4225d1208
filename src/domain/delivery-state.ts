/** Where a message is that is sent until it arrives, a webhook or a notification. `dead`: given up. */
export const DELIVERY_STATES = ['pending', 'delivered', 'dead'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

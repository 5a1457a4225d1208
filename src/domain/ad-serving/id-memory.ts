import type { OrderKey } from './desired-order.ts'

/** An id that an ad server gave something of ours. */
export interface RememberedId {
  readonly kind: 'order' | 'line' | 'creative'
  /** Our id. */
  readonly externalId: string
  /** The ad server's. */
  readonly theirId: string
  /** Version of the content that lies there, for creatives; otherwise empty. */
  readonly version: string
}

/** Ids of one ad server that does not store ours. */
export interface IdMemory {
  /** All that is remembered of an order. */
  list(order: OrderKey): Promise<readonly RememberedId[]>
  /** Remembers an id in the place of another one of the same kind and external id. */
  save(order: OrderKey, id: RememberedId): Promise<void>
}

import type { OrderKey } from './desired-order.ts'

/** An id that an ad server gave something of ours. */
export interface RememberedId {
  readonly kind: 'order' | 'line' | 'creative'
  /** Our id. */
  readonly externalId: string
  /** The ad server's; empty while it is not known: what was about to be made may be there, or not. */
  readonly theirId: string
  /** Version of the content that lies there, for creatives; otherwise empty. */
  readonly version: string
  /** What the ad server's type remembers of it besides, as JSON; absent: nothing. */
  readonly memo?: string
}

/** Version of what a person said is not there any more: it is to be made, whatever looks like it. */
export const MADE_ANEW = 'anew'

/** Ids of one ad server that does not store ours, or where people change what it stores. */
export interface IdMemory {
  /** All that is remembered of an order. */
  list(order: OrderKey): Promise<readonly RememberedId[]>
  /** Remembers an id in the place of another one of the same kind and external id. */
  save(order: OrderKey, id: RememberedId): Promise<void>
  /** Those of the ad server's ids that are remembered of any order of the publisher; at most 1,000 are asked for. */
  known(tenantId: string, kind: RememberedId['kind'], theirIds: readonly string[]): Promise<ReadonlySet<string>>
}

import type { LogEventRequest, SyncEventSourcesRequest } from '@adcp/sdk/types'

export type WireEvent = LogEventRequest['events'][number]
export type EventType = WireEvent['event_type']
export type WireEventSource = NonNullable<SyncEventSourcesRequest['event_sources']>[number]

export type EventSourceDocument = Pick<WireEventSource, 'name' | 'event_types' | 'allowed_domains'>

/** Where a buyer's events come from. */
export interface EventSource {
  readonly eventSourceId: string
  readonly accountId: string
  /** Ours, unique in the tenant. */
  readonly sellerId: string
  readonly document: EventSourceDocument
  readonly createdAt: string
  readonly updatedAt: string
  readonly revision: number
}

/** An event as it is stored: no identifier of a person, no address with its query, no free text. */
export interface StoredEvent {
  readonly eventType: EventType
  /** Pseudonym of the buyer's event id. */
  readonly eventKey: string
  readonly eventTime: string
  /** Pseudonyms of the person's identifiers. */
  readonly identifiers: readonly string[]
  /** Whether the publisher knows the person by one of them. */
  readonly matched: boolean
  readonly document: EventDocument
}

export interface EventDocument {
  readonly valueMicros?: number
  readonly currency?: string
  readonly contentIds: readonly string[]
  readonly actionSource?: string
  readonly customEventName?: string
  readonly host?: string
}

/** How a source fared lately. */
export interface SourceActivity {
  readonly receivedInDay: number
  readonly matchedInDay: number
  readonly lastEventAt?: string
}

/** An event that was credited to a package. */
export interface Conversion {
  readonly mediaBuyId: string
  readonly packageId: string
  readonly eventType: EventType
  readonly eventKey: string
  readonly eventSourceId: string
  /** UTC day of the event. */
  readonly day: string
  /** In the currency of the buy; absent when the event had no value, or one in another currency. */
  readonly valueMicros?: number
  readonly contentIds: readonly string[]
}

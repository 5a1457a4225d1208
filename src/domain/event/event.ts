import type { ActionSource, EventType } from './event-type.ts'

/** What somebody did, as the buyer reports it (AdCP core/event.json). */
export interface ReportedEvent {
  readonly event_id: string
  readonly event_type: EventType
  /** ISO 8601. */
  readonly event_time: string
  readonly user_match?: {
    readonly uids?: readonly { readonly type: string; readonly value: string }[]
    readonly hashed_email?: string
    readonly hashed_phone?: string
    readonly click_id?: string
    readonly client_ip?: string
    readonly client_user_agent?: string
  }
  readonly custom_data?: {
    /** Major units of `currency`. */
    readonly value?: number
    readonly currency?: string
    readonly content_ids?: readonly string[]
    readonly contents?: readonly { readonly id: string }[]
  }
  readonly action_source?: ActionSource
  readonly event_source_url?: string
  readonly custom_event_name?: string
}

/** A source of events as its buyer declares it. */
export interface DeclaredEventSource {
  readonly event_source_id: string
  readonly name?: string
  readonly event_types?: EventType[]
  readonly allowed_domains?: string[]
}

export type EventSourceDocument = Pick<DeclaredEventSource, 'name' | 'event_types' | 'allowed_domains'>

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

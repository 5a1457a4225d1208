import { feedEventId } from './feed-event-id.ts'

/** An event as it is stored. */
export interface StoredEvent {
  readonly sequence: number
  readonly event_type: string
  readonly entity_type: string
  readonly entity_id: string
  /** JSON. */
  readonly payload: string
  readonly actor: string
  readonly created_at: string
}

/** An event in the form of the feed (AdCP registry, change feed). */
export function presentEvent(event: StoredEvent): object {
  return {
    event_id: feedEventId(`registry event ${event.sequence}`, event.created_at),
    event_type: event.event_type,
    entity_type: event.entity_type,
    entity_id: event.entity_id,
    payload: JSON.parse(event.payload),
    // Who the members are is not for everybody.
    actor: event.actor === 'registry' ? 'registry' : 'member',
    created_at: event.created_at,
  }
}

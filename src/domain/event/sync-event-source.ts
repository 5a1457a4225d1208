import { type AdcpError, toWireError, type WireError } from '../../protocol/errors.ts'
import type { Side } from '../party.ts'
import type { DeclaredEventSource, EventSource, EventSourceDocument, SourceActivity } from './event.ts'
import type { EventType } from './event-type.ts'

/** How events of a source get here. */
interface Setup {
  snippet: string
  snippet_type: 'server_only'
  instructions: string
}

interface Health {
  status: 'insufficient' | 'minimum' | 'good'
  match_rate?: number
  last_event_at?: string
  evaluated_at: string
  events_received_24h: number
}

/** A row of sync_event_sources. */
interface Row {
  event_source_id: string
  name?: string
  seller_id?: string
  event_types?: EventType[]
  managed_by?: Side
  setup?: Setup
  action: Action | 'failed'
  health?: Health
  errors?: WireError[]
}
type Action = 'created' | 'updated' | 'unchanged'

/** Decides on one source of sync_event_sources: what is sent replaces what is there. */
export function decideEventSource(
  wire: DeclaredEventSource,
  existing: EventSource | undefined,
  { accountId, sellerId, now }: { readonly accountId: string; readonly sellerId: string; readonly now: Date },
): { readonly action: Action; readonly source: EventSource } {
  const at = now.toISOString()
  const document = documentOf(wire)
  if (!existing) {
    const source = {
      eventSourceId: wire.event_source_id,
      accountId,
      sellerId,
      document,
      createdAt: at,
      updatedAt: at,
      revision: 1,
    }
    return { action: 'created', source }
  }
  if (JSON.stringify(document) === JSON.stringify(existing.document)) return { action: 'unchanged', source: existing }
  return { action: 'updated', source: { ...existing, document, updatedAt: at } }
}

/** The wire row of a source (media-buy/sync-event-sources-response.json, `event_sources[]`). */
export function presentEventSource(source: EventSource, action: Action, activity: SourceActivity | undefined, now: Date): Row {
  const { name, event_types } = source.document
  return {
    event_source_id: source.eventSourceId,
    ...(name !== undefined && { name }),
    seller_id: source.sellerId,
    ...(event_types && { event_types }),
    managed_by: 'buyer',
    setup: setupOf(source),
    action,
    health: healthOf(activity, now),
  }
}

/** The wire row of a refusal. */
export function presentSourceFailure(eventSourceId: string, error: AdcpError): Row {
  return { event_source_id: eventSourceId, action: 'failed', errors: [toWireError(error)] }
}

/** Events come from the buyer's server: there is no tag to place, so nothing of the page's visitors reaches this seller unasked. */
function setupOf({ eventSourceId, document }: EventSource): Setup {
  const [eventType = 'purchase'] = document.event_types ?? []
  const call = {
    event_source_id: eventSourceId,
    events: [
      {
        event_id: 'order-1001',
        event_type: eventType,
        event_time: '2026-01-31T12:00:00Z',
        user_match: { hashed_email: '<SHA-256 of the trimmed address in lower case>' },
        custom_data: { value: 49.9, currency: 'EUR', content_ids: ['<item id of your catalog>'] },
      },
    ],
  }
  return {
    snippet: `log_event ${JSON.stringify(call)}`,
    snippet_type: 'server_only',
    instructions:
      'Call log_event from your server with this event_source_id, up to 10,000 events a call. Repeat an event with the same event_id: it counts once. ' +
      'Send identifiers hashed; test with test_event_code, which stores the event and counts it nowhere.',
  }
}

/** Below this share of matched events a source is worth little for attribution. */
const GOOD_MATCH = 0.5
const POOR_MATCH = 0.2

function healthOf(activity: SourceActivity | undefined, now: Date): Health {
  const { receivedInDay = 0, matchedInDay = 0, lastEventAt } = activity ?? {}
  const rate = receivedInDay > 0 ? matchedInDay / receivedInDay : undefined
  return {
    status: rate === undefined || rate < POOR_MATCH ? 'insufficient' : rate < GOOD_MATCH ? 'minimum' : 'good',
    ...(rate !== undefined && { match_rate: Math.round(rate * 10_000) / 10_000 }),
    ...(lastEventAt !== undefined && { last_event_at: lastEventAt }),
    evaluated_at: now.toISOString(),
    events_received_24h: receivedInDay,
  }
}

function documentOf({ name, event_types, allowed_domains }: DeclaredEventSource): EventSourceDocument {
  return {
    ...(name !== undefined && { name }),
    ...(event_types && { event_types }),
    ...(allowed_domains && { allowed_domains }),
  }
}

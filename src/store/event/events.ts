import type { StoredEvent } from '../../domain/event/event.ts'
import { forEachChunk } from '../chunks.ts'
import type { Db } from '../database.ts'

/** Where a batch of events belongs. */
export interface EventBatch {
  readonly tenantId: string
  readonly sellerId: string
  /** '' for events that count. */
  readonly testCode: string
}

/**
 * Keeps events that were not received before; an event is known by its source, type and id (AdCP core/event.json, `event_id`). Returns those that are new, in
 * their order.
 */
export async function insertEvents(
  tx: Db,
  { tenantId, sellerId, testCode }: EventBatch,
  events: readonly StoredEvent[],
  now: Date,
): Promise<StoredEvent[]> {
  const key = { tenant_id: tenantId, seller_id: sellerId, test_code: testCode }
  const fresh = new Set<string>()
  await forEachChunk(events, async (chunk) => {
    const rows = await tx
      .insertInto('events')
      .values(
        chunk.map(({ eventType, eventKey, eventTime, matched, document }) => ({
          ...key,
          event_type: eventType,
          event_key: eventKey,
          event_time: eventTime,
          received_at: now.toISOString(),
          matched: matched ? 1 : 0,
          document: JSON.stringify(document),
        })),
      )
      .onConflict((c) => c.doNothing())
      .returning(['event_type', 'event_key'])
      .execute()
    for (const row of rows) fresh.add(keyText(row.event_type, row.event_key))
  })
  const added = events.filter(({ eventType, eventKey }) => fresh.delete(keyText(eventType, eventKey)))
  const identifiers = added.flatMap(({ eventType, eventKey, identifiers }) =>
    [...new Set(identifiers)].map((pseudonym) => ({ ...key, event_type: eventType, event_key: eventKey, pseudonym })),
  )
  await forEachChunk(identifiers, (chunk) => tx.insertInto('event_identifiers').values(chunk).execute())
  return added
}

function keyText(eventType: string, eventKey: string): string {
  return `${eventType} ${eventKey}`
}

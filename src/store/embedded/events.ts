import { sql } from 'kysely'
import type { Db, Store } from '../database.ts'
import { addHours, addTotals } from './sums.ts'
import { countWaiting, mayWait, withWaiting } from './waiting-events.ts'

/** An event of an ad that was shown, as the log keeps it. */
export interface EmbeddedEvent {
  /** Of the decision and the kind: a second event with the same id is the same event. */
  readonly eventId: string
  readonly decisionId: string
  readonly tenantId: string
  readonly lineId: string
  readonly creativeId: string
  readonly place: string
  readonly kind: string
  readonly isBot: boolean
  /** Price of one pricing unit at the time of the decision. */
  readonly rateMicros: number
  /** ISO 8601 UTC. */
  readonly happenedAt: string
}

/** How long the log keeps events; sums by hour and over flights stay. */
export const EVENT_LOG_DAYS = 90

/** The start of the first hour of which the log still has every event. */
export function firstLoggedHour(now: Date): Date {
  const hour = 3_600_000
  return new Date(Math.floor((now.getTime() - EVENT_LOG_DAYS * 24 * hour) / hour) * hour)
}

/** What ids of decisions of a time begin with: ids of one time lie together in the log, so that old events are found by their key. */
export function decisionIdPrefix(at: Date): string {
  // Eight characters from 1972 to 2059.
  return at.getTime().toString(36)
}

/** Drops at most `limit` events that happened before a time, oldest first, and gives their number. No event happens before its decision. */
export async function sweepEmbeddedEvents(tx: Db, before: Date, limit: number): Promise<number> {
  const old = tx
    .selectFrom('embedded_events')
    .select('event_id')
    .where('event_id', '<', decisionIdPrefix(before))
    .where('happened_at', '<', before.toISOString())
    .orderBy('event_id')
    .limit(limit)
  const { numDeletedRows } = await tx.deleteFrom('embedded_events').where('event_id', 'in', old).executeTakeFirst()
  return Number(numDeletedRows)
}

/** Rows of one statement: nine parameters each, far below the limits of both engines. */
const ROWS = 500

/**
 * Writes events to the log and sums them up, in the transaction that it is given: each event counts once, however often it comes. What comes before its impression is
 * kept as invalid, and counts from when that comes. Gives the ids of those that were new. `events` must not name an id twice.
 */
export async function appendEmbeddedEvents(tx: Db, given: readonly EmbeddedEvent[]): Promise<ReadonlySet<string>> {
  const events = await withWaiting(tx, given)
  const fresh = new Set<string>()
  for (let at = 0; at < events.length; at += ROWS) {
    const rows = await tx
      .insertInto('embedded_events')
      .values(events.slice(at, at + ROWS).map(rowOf))
      .onConflict((c) => c.column('event_id').doNothing())
      .returning('event_id')
      .execute()
    for (const { event_id } of rows) fresh.add(event_id)
  }
  const counted = events.filter(({ eventId }) => fresh.has(eventId))
  await addHours(tx, counted)
  await addTotals(tx, counted)
  await confirmExposures(tx, counted)
  await countWaiting(tx, given)
  return fresh
}

/** Writes batches of events to a store, each in one transaction, in which `beside` happens too: see {@link appendEmbeddedEvents}. */
export function embeddedEventWriter(store: Store, beside: (tx: Db) => Promise<void> = async () => {}) {
  return async (events: readonly EmbeddedEvent[]): Promise<ReadonlySet<string>> => {
    const write = async (tx: Db) => {
      await beside(tx)
      return appendEmbeddedEvents(tx, events)
    }
    const fresh = await store.transaction(write, { isolation: 'read-committed' })
    // An impression and what follows it may be written by two processes at once, neither of which sees the other's: the later of the two does here.
    const decisionIds = [...new Set(events.map(({ decisionId }) => decisionId))]
    if (await mayWait(store.read, decisionIds))
      await store.transaction((tx) => countWaiting(tx, events), { isolation: 'read-committed' })
    return fresh
  }
}

function rowOf(event: EmbeddedEvent) {
  return {
    event_id: event.eventId,
    tenant_id: event.tenantId,
    line_id: event.lineId,
    creative_id: event.creativeId,
    place: event.place,
    kind: event.kind,
    bot: event.isBot ? 1 : 0,
    rate_micros: event.rateMicros,
    happened_at: event.happenedAt,
  }
}

/** An exposure whose impression was counted stays, from the moment of the impression on; others are given back after a while. */
async function confirmExposures(tx: Db, events: readonly EmbeddedEvent[]): Promise<void> {
  const decisions = events.filter(({ kind, isBot }) => kind === 'impression' && !isBot).map(({ decisionId }) => decisionId)
  for (let at = 0; at < decisions.length; at += ROWS)
    await tx
      .updateTable('embedded_exposures')
      .set((e) => ({
        confirmed: 1,
        seen_at: e
          .selectFrom('embedded_events')
          .select('happened_at')
          .where('event_id', '=', sql<string>`embedded_exposures.decision_id || '.impression'`)
          .$asScalar()
          .$notNull(),
      }))
      .where('decision_id', 'in', decisions.slice(at, at + ROWS))
      .execute()
}

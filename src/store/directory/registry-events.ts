import { AdcpError } from '../../protocol/errors.ts'
import { forEachChunk } from '../chunks.ts'
import type { Db } from '../database.ts'
import { bytesOf, fittingRows, forEachPart, pageOfSize } from '../page-size.ts'
import type { RegistryEventRow } from './rows.ts'

export interface NewRegistryEvent {
  readonly type: string
  readonly entityType: 'agent' | 'authorization' | 'brand' | 'property' | 'publisher'
  readonly entityId: string
  /** Made when it is stored, so that the payloads of many events need not be held at once. */
  readonly payload: object | (() => object)
  /** Characters of a long payload, about. */
  readonly size?: number
  /** Who caused it: a platform identity, or `registry`. */
  readonly actor: string
}

/** Events that a page examines to find those of the wanted types. */
const WALKED = 2_000

/** Appends to the feed. Numbers grow in the order of commits, so a reader never misses one behind its cursor. */
export async function appendEvent(tx: Db, event: NewRegistryEvent, now: Date): Promise<void> {
  await appendEvents(tx, [event], now)
}

/** Appends several events, in their order. */
export async function appendEvents(tx: Db, events: readonly NewRegistryEvent[], now: Date): Promise<void> {
  const { length } = events
  if (length === 0) return
  const { sequence } = await tx
    .insertInto('registry_feed')
    .values({ name: 'last', sequence: length })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((eb) => ({ sequence: eb('registry_feed.sequence', '+', length) })),
    )
    .returning('sequence')
    .executeTakeFirstOrThrow()
  let last = Number(sequence) - length
  await forEachPart(events, sizeOf, (part) =>
    forEachChunk(part, (chunk) => {
      const rows = chunk.map((event) => ({
        sequence: ++last,
        event_type: event.type,
        entity_type: event.entityType,
        entity_id: event.entityId,
        payload: JSON.stringify(typeof event.payload === 'function' ? event.payload() : event.payload),
        actor: event.actor,
        created_at: now.toISOString(),
      }))
      return tx.insertInto('registry_events').values(rows).execute()
    }),
  )
}

function sizeOf({ size = 0 }: NewRegistryEvent): number {
  return size
}

/** Number of the last event that was appended; 0 before the first. */
export async function lastSequence(db: Db): Promise<number> {
  const row = await db.selectFrom('registry_feed').select('sequence').where('name', '=', 'last').executeTakeFirst()
  return Number(row?.sequence ?? 0)
}

/** The last events about one entity, newest first, no more than a page holds of their payloads. */
export async function listEventsOf(db: Db, entityId: string, limit: number): Promise<readonly RegistryEventRow[]> {
  const events = db.selectFrom('registry_events').selectAll().where('entity_id', '=', entityId).orderBy('sequence', 'desc')
  return (await pageOfSize(events, ['payload'], limit)).rows
}

export interface EventPage {
  readonly events: readonly RegistryEventRow[]
  /** Number of the last event looked at. */
  readonly position: number
  readonly hasMore: boolean
}

/**
 * Events behind a number, oldest first, of the types that `wants` accepts, no more than a page holds of their payloads. Throws INVALID_REQUEST (reason `cursor_expired`) when events behind the
 * number have been dropped already.
 */
export async function pageEvents(
  db: Db,
  { after, limit, wants }: { after: number | undefined; limit: number; wants: (type: string) => boolean },
): Promise<EventPage> {
  const counters = await db.selectFrom('registry_feed').selectAll().execute()
  const dropped = Number(counters.find((row) => row.name === 'dropped')?.sequence ?? 0)
  if (after !== undefined && after < dropped) {
    throw new AdcpError('INVALID_REQUEST', 'cursor_expired: events behind this cursor were dropped; start again without it', {
      field: 'cursor',
      details: { reason: 'cursor_expired' },
    })
  }
  const start = after ?? dropped
  const walked = await db
    .selectFrom('registry_events')
    .select(['sequence', 'event_type', bytesOf('payload').as('bytes')])
    .where('sequence', '>', start)
    .orderBy('sequence')
    .limit(WALKED)
    .execute()
  const wanted = walked.filter((row) => wants(row.event_type))
  const first = wanted.slice(0, limit)
  const shown = first.slice(0, fittingRows(first.map(({ bytes }) => bytes))).map(({ sequence }) => sequence)
  const events = shown.length === 0 ? [] : await eventsOf(db, shown)
  const cut = wanted.length > events.length
  const position = Number((cut ? events.at(-1) : walked.at(-1))?.sequence ?? start)
  return { events, position, hasMore: cut || walked.length === WALKED }
}

async function eventsOf(db: Db, sequences: readonly number[]): Promise<readonly RegistryEventRow[]> {
  return db.selectFrom('registry_events').selectAll().where('sequence', 'in', sequences).orderBy('sequence').execute()
}

/** Drops what is older than `before`; cursors from then on are expired. */
export async function dropEvents(tx: Db, before: Date): Promise<void> {
  const last = await tx
    .selectFrom('registry_events')
    .select('sequence')
    .where('created_at', '<', before.toISOString())
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (last) await dropUpTo(tx, last.sequence)
}

/** Drops every event, and expires each cursor that was given out: its reader starts again with what is in force. Nothing is expired before the first event. */
export async function expireCursors(tx: Db): Promise<void> {
  const raised = await tx
    .updateTable('registry_feed')
    .set((eb) => ({ sequence: eb('sequence', '+', 1) }))
    .where('name', '=', 'last')
    .returning('sequence')
    .executeTakeFirst()
  if (raised) await dropUpTo(tx, Number(raised.sequence))
}

async function dropUpTo(tx: Db, sequence: number): Promise<void> {
  await tx.deleteFrom('registry_events').where('sequence', '<=', sequence).execute()
  await tx
    .insertInto('registry_feed')
    .values({ name: 'dropped', sequence })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ sequence }))
    .execute()
}

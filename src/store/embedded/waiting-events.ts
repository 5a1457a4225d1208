import { type Selectable, sql } from 'kysely'
import { chunksOf } from '../chunks.ts'
import type { Db } from '../database.ts'
import type { EmbeddedEvent } from './events.ts'
import type { EmbeddedTables } from './rows.ts'
import { addHours, addTotals } from './sums.ts'

/** What the kind of an event begins with that its ad cannot have made: it is summed under that name, which nothing is billed by. */
export const INVALID = 'invalid.'

/** What follows an impression, and does not count without it. An error may come in its place. */
const AFTER_IMPRESSION = ['viewable', 'click', 'start', 'firstQuartile', 'midpoint', 'thirdQuartile', 'complete']

/** Events that wait for their impression: `invalid.click` under the id of the click. An index holds these alone, so that the words have to be the same. */
const WAITS = sql<boolean>`kind like 'invalid.%' and event_id not like '%.invalid.%'`

/** Events as the log keeps them: what has no impression yet, in the log or among them, is invalid until that comes. */
export async function withWaiting(tx: Db, events: readonly EmbeddedEvent[]): Promise<readonly EmbeddedEvent[]> {
  const shown = await shownOf(tx, events)
  return events.map((event) =>
    AFTER_IMPRESSION.includes(event.kind) && !shown.has(event.decisionId) ? { ...event, kind: INVALID + event.kind } : event,
  )
}

/** Decisions of which an impression is in the log, or among the events. */
async function shownOf(db: Db, events: readonly EmbeddedEvent[]): Promise<Set<string>> {
  const shown = new Set(events.filter(({ kind }) => kind === 'impression').map(({ decisionId }) => decisionId))
  const others = new Set(events.map(({ decisionId }) => decisionId).filter((id) => !shown.has(id)))
  for (const ids of chunksOf([...others])) {
    const rows = await db
      .selectFrom('embedded_events')
      .select('event_id')
      .where(
        'event_id',
        'in',
        ids.map((id) => `${id}.impression`),
      )
      .execute()
    for (const { event_id } of rows) shown.add(event_id.slice(0, -'.impression'.length))
  }
  return shown
}

/** Whether the log may hold events that wait for the impression of one of these decisions: hardly ever. */
export async function mayWait(db: Db, decisionIds: readonly string[]): Promise<boolean> {
  if (decisionIds.length === 0) return false
  const [first = '', last = ''] = [decisionIds.reduce((a, b) => (a < b ? a : b)), decisionIds.reduce((a, b) => (a > b ? a : b))]
  const found = await db
    .selectFrom('embedded_events')
    .select('event_id')
    .where(WAITS)
    .where('event_id', '>=', first)
    // After every id that begins with the last and a dot.
    .where('event_id', '<', `${last}/`)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** Counts events that waited for an impression which is in the log now, in the hours in which they happened. */
export async function countWaiting(tx: Db, events: readonly EmbeddedEvent[]): Promise<void> {
  const shown = [...(await shownOf(tx, events))]
  if (!(await mayWait(tx, shown))) return
  for (const decisionIds of chunksOf(shown)) {
    const rows = await tx
      .updateTable('embedded_events')
      .set({ kind: sql<string>`substr(kind, ${sql.lit(INVALID.length + 1)})` })
      .where(WAITS)
      .where(
        'event_id',
        'in',
        decisionIds.flatMap((id) => AFTER_IMPRESSION.map((kind) => `${id}.${kind}`)),
      )
      .returningAll()
      .execute()
    const counted = rows.map(eventOf)
    await addHours(tx, counted)
    await addTotals(tx, counted)
    const before = counted.map((event) => ({ ...event, kind: INVALID + event.kind }))
    await addHours(tx, before, -1)
    await addTotals(tx, before, -1)
  }
}

function eventOf(row: Selectable<EmbeddedTables['embedded_events']>): EmbeddedEvent {
  return {
    eventId: row.event_id,
    decisionId: row.event_id.slice(0, row.event_id.lastIndexOf('.')),
    tenantId: row.tenant_id,
    lineId: row.line_id,
    creativeId: row.creative_id,
    place: row.place,
    kind: row.kind,
    isBot: row.bot === 1,
    rateMicros: Number(row.rate_micros),
    happenedAt: row.happened_at,
  }
}

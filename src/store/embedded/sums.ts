import { hourOf } from '../../domain/calendar/instant.ts'
import type { Db } from '../database.ts'
import type { EmbeddedEvent } from './events.ts'
import { addPlaceEvents } from './place-hours.ts'

/** Rows of one statement: nine parameters each, far below the limits of both engines. */
const ROWS = 500

/** Adds events to the sums of their hours, by line and by placement; `by` -1: takes them away. */
export async function addHours(tx: Db, events: readonly EmbeddedEvent[], by = 1): Promise<void> {
  const sums = summed(events, by, ({ tenantId, lineId, happenedAt, creativeId, place, kind, isBot, rateMicros }) => ({
    tenant_id: tenantId,
    line_id: lineId,
    hour: hourOf(happenedAt),
    creative_id: creativeId,
    place,
    kind,
    bot: isBot ? 1 : 0,
    rate_micros: rateMicros,
  }))
  for (let at = 0; at < sums.length; at += ROWS)
    await tx
      .insertInto('embedded_hours')
      .values(sums.slice(at, at + ROWS))
      .onConflict((c) =>
        c
          .columns(['tenant_id', 'line_id', 'hour', 'creative_id', 'place', 'kind', 'bot', 'rate_micros'])
          .doUpdateSet((e) => ({ events: e('embedded_hours.events', '+', e.ref('excluded.events')) })),
      )
      .execute()
  await addPlaceEvents(tx, events, by)
}

/** The same for the sums of lines over their flights, which leave out events of bots. */
export async function addTotals(tx: Db, events: readonly EmbeddedEvent[], by = 1): Promise<void> {
  const people = events.filter(({ isBot }) => !isBot)
  const sums = summed(people, by, ({ tenantId, lineId, kind }) => ({ tenant_id: tenantId, line_id: lineId, kind }))
  for (let at = 0; at < sums.length; at += ROWS)
    await tx
      .insertInto('embedded_totals')
      .values(sums.slice(at, at + ROWS))
      .onConflict((c) =>
        c
          .columns(['tenant_id', 'line_id', 'kind'])
          .doUpdateSet((e) => ({ events: e('embedded_totals.events', '+', e.ref('excluded.events')) })),
      )
      .execute()
}

/** Events by key with their number, in the order of the keys: transactions that add to the same rows take them in one order. */
function summed<Key extends object>(
  events: readonly EmbeddedEvent[],
  by: number,
  keyOf: (event: EmbeddedEvent) => Key,
): (Key & { events: number })[] {
  const sums = new Map<string, Key & { events: number }>()
  for (const event of events) {
    const key = keyOf(event)
    const text = JSON.stringify(Object.values(key))
    const known = sums.get(text)
    if (known) known.events += by
    else sums.set(text, { ...key, events: by })
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
}

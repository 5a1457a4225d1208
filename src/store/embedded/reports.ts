import { sql } from 'kysely'
import { chunksOf, ORDERS, readChunks } from '../chunks.ts'
import type { Db } from '../database.ts'
import { rebuildPlaceEvents } from './place-hours.ts'

/** Events of one line, creative and place in one hour, at one price. */
export interface EmbeddedHour {
  readonly lineId: string
  /** Start of the hour, ISO 8601 UTC. */
  readonly hour: string
  readonly creativeId: string
  readonly place: string
  readonly kind: string
  readonly rateMicros: number
  readonly events: number
}

/** Whether something of lines was counted, by bots left out. */
export async function isShownOf(db: Db, tenantId: string, lineIds: readonly string[]): Promise<boolean> {
  for (const ids of chunksOf(lineIds)) {
    const query = db.selectFrom('embedded_hours').select('line_id').where('tenant_id', '=', tenantId).where('bot', '=', 0)
    if (await query.where('line_id', 'in', ids).limit(1).executeTakeFirst()) return true
  }
  return false
}

/** How many hours lines have, without events of bots; those that have none are left out. */
export async function countEmbeddedHours(
  db: Db,
  tenantId: string,
  lineIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for (const ids of chunksOf(lineIds)) {
    const rows = await db
      .selectFrom('embedded_hours')
      .select(['line_id', (e) => e.fn.countAll<number | string>().as('hours')])
      .where('tenant_id', '=', tenantId)
      .where('line_id', 'in', ids)
      .where('bot', '=', 0)
      .groupBy('line_id')
      .execute()
    for (const row of rows) counts.set(row.line_id, Number(row.hours))
  }
  return counts
}

/** Hours of lines, oldest first, without events of bots. */
export async function listEmbeddedHours(db: Db, tenantId: string, lineIds: readonly string[]): Promise<EmbeddedHour[]> {
  if (lineIds.length === 0) return []
  const rows = await db
    .selectFrom('embedded_hours')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('line_id', 'in', lineIds)
    .where('bot', '=', 0)
    .orderBy('line_id')
    .orderBy('hour')
    .execute()
  return rows.map((row) => ({
    lineId: row.line_id,
    hour: row.hour,
    creativeId: row.creative_id,
    place: row.place,
    kind: row.kind,
    rateMicros: Number(row.rate_micros),
    events: Number(row.events),
  }))
}

/** When lines that were ended, by themselves or with their order, were: ISO 8601 UTC, by line. */
export async function endedLines(db: Db, tenantId: string, lineIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const ended = new Map<string, string>()
  for (const ids of chunksOf(lineIds)) {
    const rows = await db
      .selectFrom('embedded_lines as l')
      .innerJoin('embedded_orders as o', (j) => j.onRef('o.tenant_id', '=', 'l.tenant_id').onRef('o.order_id', '=', 'l.order_id'))
      .select(['l.line_id', 'l.state', 'l.updated_at', 'o.state as order_state', 'o.updated_at as order_updated_at'])
      .where('l.tenant_id', '=', tenantId)
      .where('l.line_id', 'in', ids)
      .where((e) => e.or([e('l.state', '=', 'ended'), e('o.state', '=', 'ended')]))
      .execute()
    for (const row of rows) {
      const moments = [
        ...(row.state === 'ended' ? [row.updated_at] : []),
        ...(row.order_state === 'ended' ? [row.order_updated_at] : []),
      ]
      ended.set(row.line_id, moments.sort()[0] ?? '')
    }
  }
  return ended
}

/** Errors of players of an order by line, creative and kind of event, without those of bots. */
export async function listEmbeddedErrors(
  db: Db,
  tenantId: string,
  orderAnchor: string,
): Promise<{ readonly lineAnchor: string; readonly creativeAnchor: string; readonly kind: string; readonly events: number }[]> {
  const rows = await db
    .selectFrom('embedded_orders as o')
    .innerJoin('embedded_lines as l', (j) => j.onRef('l.tenant_id', '=', 'o.tenant_id').onRef('l.order_id', '=', 'o.order_id'))
    .innerJoin('embedded_hours as h', (j) => j.onRef('h.tenant_id', '=', 'l.tenant_id').onRef('h.line_id', '=', 'l.line_id'))
    .leftJoin('embedded_creatives as c', (j) =>
      j.onRef('c.tenant_id', '=', 'h.tenant_id').onRef('c.creative_id', '=', 'h.creative_id'),
    )
    .select(['l.anchor as line', 'h.creative_id', 'c.anchor as creative', 'h.kind'])
    .select((e) => e.fn.sum<number | string>('h.events').as('events'))
    .where('o.tenant_id', '=', tenantId)
    .where('o.anchor', '=', orderAnchor)
    .where('h.bot', '=', 0)
    .where((e) => e.or([e('h.kind', '=', 'error'), e('h.kind', 'like', 'error.%')]))
    .groupBy(['l.anchor', 'h.creative_id', 'c.anchor', 'h.kind'])
    .execute()
  return rows.map(({ line, creative_id, creative, kind, events }) => ({
    lineAnchor: line,
    creativeAnchor: creative ?? creative_id,
    kind,
    events: Number(events),
  }))
}

/** Events of orders (by anchor) since an hour (ISO 8601 UTC), by line, kind and price, with the line as it is stored; without those of bots. */
export async function listEventsSince(db: Db, tenantId: string, orderAnchors: readonly string[], since: string) {
  const found: { lineId: string; order: string; document: string; kind: string; rateMicros: number; events: number }[] = []
  for (const anchors of chunksOf(orderAnchors)) {
    const rows = await db
      .selectFrom('embedded_orders as o')
      .innerJoin('embedded_lines as l', (j) => j.onRef('l.tenant_id', '=', 'o.tenant_id').onRef('l.order_id', '=', 'o.order_id'))
      .innerJoin('embedded_hours as h', (j) => j.onRef('h.tenant_id', '=', 'l.tenant_id').onRef('h.line_id', '=', 'l.line_id'))
      .select(['o.anchor', 'l.line_id', 'l.document', 'h.kind', 'h.rate_micros'])
      .select((e) => e.fn.sum<number | string>('h.events').as('events'))
      .where('o.tenant_id', '=', tenantId)
      .where('o.anchor', 'in', anchors)
      .where('h.hour', '>=', since)
      .where('h.bot', '=', 0)
      .groupBy(['o.anchor', 'l.line_id', 'l.document', 'h.kind', 'h.rate_micros'])
      .execute()
    for (const { anchor: order, line_id: lineId, document, kind, rate_micros: rate, events } of rows)
      found.push({ lineId, order, document, kind, rateMicros: Number(rate), events: Number(events) })
  }
  return found
}

/** Events of every line of a publisher by kind, without those of bots. */
export async function listEmbeddedTotals(
  db: Db,
  tenantId: string,
): Promise<{ readonly lineId: string; readonly kind: string; readonly events: number }[]> {
  const rows = await db.selectFrom('embedded_totals').selectAll().where('tenant_id', '=', tenantId).execute()
  return rows.map((row) => ({ lineId: row.line_id, kind: row.kind, events: Number(row.events) }))
}

/**
 * Events of orders (by anchor; absent: all) so far, and when their lines were written last: what a report says changes with one of them. Orders whose lines all ended
 * before a time are left out, and those without events.
 */
export async function embeddedReportMarks(
  db: Db,
  tenantId: string,
  { anchors, endedBefore }: { readonly anchors: readonly string[] | undefined; readonly endedBefore: Date },
): Promise<ReadonlyMap<string, string>> {
  if (anchors !== undefined && anchors.length > ORDERS) {
    const parts = await readChunks(
      anchors,
      async (some) => [...(await embeddedReportMarks(db, tenantId, { anchors: some, endedBefore }))],
      ORDERS,
    )
    return new Map(parts)
  }
  if (anchors?.length === 0) return new Map()
  let query = db
    .selectFrom('embedded_orders as o')
    .innerJoin('embedded_lines as l', (j) => j.onRef('l.tenant_id', '=', 'o.tenant_id').onRef('l.order_id', '=', 'o.order_id'))
    .innerJoin('embedded_totals as t', (j) => j.onRef('t.tenant_id', '=', 'l.tenant_id').onRef('t.line_id', '=', 'l.line_id'))
    .select([
      'o.anchor',
      // What waits for its impression changes nothing, and something when it is counted.
      sql<number | string>`sum(case when t.kind like 'invalid.%' then 0 else t.events end)`.as('events'),
      (e) => e.fn.max('l.updated_at').as('written'),
    ])
    .where('o.tenant_id', '=', tenantId)
    .where('l.ends_at', '>=', endedBefore.toISOString())
    .groupBy('o.anchor')
  if (anchors) query = query.where('o.anchor', 'in', anchors)
  const rows = await query.execute()
  return new Map(rows.map(({ anchor, events, written }) => [anchor, `${events} ${written}`]))
}

/**
 * Makes the sums of a publisher again from the log, in place of those that are there. Hours before `since` stay as they are: the log may have lost events of
 * them (`firstLoggedHour`).
 */
export async function rebuildEmbeddedSums(tx: Db, tenantId: string, since: Date): Promise<void> {
  const from = since.toISOString()
  await tx.deleteFrom('embedded_hours').where('tenant_id', '=', tenantId).where('hour', '>=', from).execute()
  await tx.deleteFrom('embedded_totals').where('tenant_id', '=', tenantId).execute()
  await tx
    .insertInto('embedded_hours')
    .columns(['tenant_id', 'line_id', 'hour', 'creative_id', 'place', 'kind', 'bot', 'rate_micros', 'events'])
    .expression((e) =>
      e
        .selectFrom('embedded_events')
        .select((s) => [
          'tenant_id',
          'line_id',
          sql<string>`substr(happened_at, 1, 13) || ':00:00.000Z'`.as('hour'),
          'creative_id',
          'place',
          'kind',
          'bot',
          'rate_micros',
          s.fn.countAll<number>().as('events'),
        ])
        .where('tenant_id', '=', tenantId)
        .where('happened_at', '>=', from)
        .groupBy([
          'tenant_id',
          'line_id',
          sql`substr(happened_at, 1, 13) || ':00:00.000Z'`,
          'creative_id',
          'place',
          'kind',
          'bot',
          'rate_micros',
        ]),
    )
    .execute()
  await rebuildPlaceEvents(tx, tenantId, from)
  await tx
    .insertInto('embedded_totals')
    .columns(['tenant_id', 'line_id', 'kind', 'events'])
    .expression((e) =>
      e
        .selectFrom('embedded_hours')
        .select((s) => ['tenant_id', 'line_id', 'kind', s.fn.sum<number>('events').as('events')])
        .where('tenant_id', '=', tenantId)
        .where('bot', '=', 0)
        .groupBy(['tenant_id', 'line_id', 'kind']),
    )
    .execute()
}

import { sql } from 'kysely'
import { hourOf } from '../../domain/calendar/instant.ts'
import type { Db } from '../database.ts'
import type { EmbeddedEvent } from './events.ts'
import type { EmbeddedTables } from './rows.ts'

/** What is counted of a placement. */
export const PLACE_COUNTS = [
  'requests',
  'filled',
  'impressions',
  'viewable_impressions',
  'clicks',
  'completed_views',
] as const satisfies readonly (keyof EmbeddedTables['embedded_place_hours'])[]

export type PlaceCounts = Readonly<Record<(typeof PLACE_COUNTS)[number], number>>

/** What was counted in a placement in one hour, or is to be added to it. */
export interface PlaceHour extends PlaceCounts {
  readonly tenantId: string
  /** Start of the hour, ISO 8601 UTC. */
  readonly hour: string
  readonly place: string
}

/** The same for one placement of a publisher in one hour, and no other: hours are of one length, and ids of publishers have no space. */
export function keyOfPlaceHour({ tenantId, hour, place }: Pick<PlaceHour, 'tenantId' | 'hour' | 'place'>): string {
  return `${hour} ${tenantId} ${place}`
}

export const NO_PLACE_COUNTS: PlaceCounts = {
  ...{ requests: 0, filled: 0, impressions: 0 },
  ...{ viewable_impressions: 0, clicks: 0, completed_views: 0 },
}

/** Kinds of events that are counted of placements. */
const COLUMNS: ReadonlyMap<string, keyof PlaceCounts> = new Map([
  ['impression', 'impressions'],
  ['viewable', 'viewable_impressions'],
  ['click', 'clicks'],
  ['complete', 'completed_views'],
])

/** Rows of one statement: nine parameters each, far below the limits of both engines. */
const ROWS = 500

/** Adds events of people to the sums of their placements; `by` -1: takes them away. */
export async function addPlaceEvents(tx: Db, events: readonly EmbeddedEvent[], by = 1): Promise<void> {
  const sums = new Map<string, PlaceHour>()
  for (const { tenantId, place, kind, isBot, happenedAt } of events) {
    const column = COLUMNS.get(kind)
    if (column === undefined || isBot) continue
    const hour = hourOf(happenedAt)
    const key = keyOfPlaceHour({ tenantId, hour, place })
    const sum = sums.get(key) ?? { tenantId, hour, place, ...NO_PLACE_COUNTS }
    sums.set(key, { ...sum, [column]: sum[column] + by })
  }
  await addPlaceHours(tx, [...sums.values()])
}

/** Adds to the sums of placements, in the order of their keys: transactions that add to the same rows take them in one order. */
export async function addPlaceHours(tx: Db, given: readonly PlaceHour[]): Promise<void> {
  const rows = given
    .map((row) => ({ key: keyOfPlaceHour(row), row }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ row: { tenantId, ...counts } }) => ({ tenant_id: tenantId, ...counts }))
  for (let at = 0; at < rows.length; at += ROWS)
    await tx
      .insertInto('embedded_place_hours')
      .values(rows.slice(at, at + ROWS))
      .onConflict((c) =>
        c
          .columns(['tenant_id', 'hour', 'place'])
          .doUpdateSet((e) =>
            Object.fromEntries(
              PLACE_COUNTS.map((name) => [name, e(`embedded_place_hours.${name}`, '+', e.ref(`excluded.${name}`))]),
            ),
          ),
      )
      .execute()
}

/** Hours (ISO 8601 UTC) of a publisher: from the first on, before the second. */
export interface PlaceHoursQuery {
  readonly from: string
  readonly until: string
  /** Of one placement. */
  readonly place?: string | undefined
  /** Whether rows are of one hour each, else of all of them, which begin with the first; and of one placement each, else of '', which is all of them. */
  readonly byHour: boolean
  readonly byPlace: boolean
}

/** Sums of placements. */
export async function listPlaceHours(
  db: Db,
  tenantId: string,
  { from, until, place, byHour, byPlace }: PlaceHoursQuery,
): Promise<PlaceHour[]> {
  const columns = [...(byHour ? [sql.ref('hour')] : []), ...(byPlace ? [sql.ref('place')] : [])]
  const sums = sql.join(PLACE_COUNTS.map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`))
  const grouped = sql`group by ${sql.join([sql.ref('tenant_id'), ...columns])}`
  const named = columns.length === 0 ? sql`` : sql`${sql.join(columns)},`
  const of = place === undefined ? sql`` : sql`and place = ${place}`
  type Row = { hour?: string; place?: string } & Record<keyof PlaceCounts, number | string>
  const { rows } = await sql<Row>`select ${named} ${sums} from embedded_place_hours
    where tenant_id = ${tenantId} and hour >= ${from} and hour < ${until} ${of} ${grouped}`.execute(db)
  return rows.map((row) => ({ tenantId, hour: row.hour ?? from, place: row.place ?? '', ...countsIn(row) }))
}

/** PostgreSQL gives sums as text. */
function countsIn(row: Readonly<Record<keyof PlaceCounts, number | string>>): PlaceCounts {
  return {
    requests: Number(row.requests),
    filled: Number(row.filled),
    impressions: Number(row.impressions),
    viewable_impressions: Number(row.viewable_impressions),
    clicks: Number(row.clicks),
    completed_views: Number(row.completed_views),
  }
}

/** Makes the events of placements again from the hours of lines, from an hour on (ISO 8601 UTC); requests stay as they were counted. */
export async function rebuildPlaceEvents(tx: Db, tenantId: string, from: string): Promise<void> {
  await tx
    .updateTable('embedded_place_hours')
    .set({ impressions: 0, viewable_impressions: 0, clicks: 0, completed_views: 0 })
    .where('tenant_id', '=', tenantId)
    .where('hour', '>=', from)
    .execute()
  const sumOf = (kind: string) => sql`coalesce(sum(case when kind = ${kind} then events end), 0)`
  const kinds = [...COLUMNS.keys()]
  const names = sql.join([...COLUMNS.values()].map((name) => sql.ref(name)))
  const updates = sql.join([...COLUMNS.values()].map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`))
  await sql`insert into embedded_place_hours (tenant_id, hour, place, requests, filled, ${names})
    select tenant_id, hour, place, 0, 0, ${sql.join(kinds.map(sumOf))} from embedded_hours
    where tenant_id = ${tenantId} and hour >= ${from} and bot = 0 and kind in (${sql.join(kinds)})
    group by tenant_id, hour, place
    on conflict (tenant_id, hour, place) do update set ${updates}`.execute(tx)
}

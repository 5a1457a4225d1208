import { type Kysely, sql } from 'kysely'

const COUNTS = ['requests', 'filled', 'impressions', 'viewable_impressions', 'clicks', 'completed_views'] as const

/** Requests and events of a placement by hour, so that reports know how much of it was sold. What was counted before is summed up; requests were not. */
export async function up(db: Kysely<unknown>): Promise<void> {
  let table = db.schema
    .createTable('embedded_place_hours')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('hour', 'text', (c) => c.notNull())
    .addColumn('place', 'text', (c) => c.notNull())
  for (const count of COUNTS) table = table.addColumn(count, 'bigint', (c) => c.notNull())
  await table.addPrimaryKeyConstraint('embedded_place_hours_pk', ['tenant_id', 'hour', 'place']).execute()
  const sumOf = (kind: string) => sql`coalesce(sum(case when kind = ${sql.lit(kind)} then events end), 0)`
  await sql`insert into embedded_place_hours (tenant_id, hour, place, requests, filled, impressions, viewable_impressions, clicks, completed_views)
    select tenant_id, hour, place, 0, 0, ${sumOf('impression')}, ${sumOf('viewable')}, ${sumOf('click')}, ${sumOf('complete')}
    from embedded_hours where bot = 0 and kind in ('impression', 'viewable', 'click', 'complete')
    group by tenant_id, hour, place`.execute(db)
}

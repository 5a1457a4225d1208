import { type Kysely, sql } from 'kysely'

/** Events of the embedded ad server that wait for their impression: few, and looked for with each batch. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index house_events_waiting on house_events (event_id) where kind like 'invalid.%' and event_id not like '%.invalid.%'`.execute(
    db,
  )
}

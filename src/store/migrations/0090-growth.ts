import { type Kysely, sql } from 'kysely'

/** Indexes that keep hot statements as fast in a store that holds the history of years as in a new one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // What runs or will run is little beside what is over; the order of creation would lead through all of it.
  await db.schema
    .createIndex('media_buys_live')
    .on('media_buys')
    .columns(['tenant_id', 'principal_id', 'ends_at'])
    .where(sql.ref('decision'), 'is', null)
    .execute()
  // Every call without credentials asks for the public tenant.
  await db.schema.createIndex('tenants_by_default').on('tenants').columns(['is_public_default']).execute()
}

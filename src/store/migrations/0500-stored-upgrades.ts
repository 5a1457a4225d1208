import type { Kysely } from 'kysely'

/** Changes of stored documents that need more than SQL, such as the deployment's secret: each is made once, at a start of the server. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('stored_upgrades')
    .addColumn('name', 'text', (c) => c.notNull().primaryKey())
    .addColumn('done_at', 'text', (c) => c.notNull())
    .execute()
}

import type { Kysely } from 'kysely'

/** Addresses that get the changes of the feed, each with the last event that it has taken. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('feed_subscribers')
    .addColumn('subscriber_id', 'text', (c) => c.primaryKey())
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('types', 'text')
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('failures', 'integer', (c) => c.notNull())
    .addColumn('next_attempt_at', 'text', (c) => c.notNull())
    .addColumn('last_status', 'integer')
    .addColumn('last_error', 'text')
    .addColumn('added_at', 'text', (c) => c.notNull())
    .execute()
}

import type { Kysely } from 'kysely'

/** Requests of the admin API that came with an idempotency key. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('admin_requests')
    .addColumn('key_id', 'text', (c) => c.notNull().references('admin_keys.key_id'))
    .addColumn('idempotency_key', 'text', (c) => c.notNull())
    .addColumn('request_hash', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('lease', 'text', (c) => c.notNull())
    .addColumn('lease_until', 'text', (c) => c.notNull())
    .addColumn('answer', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('admin_requests_pk', ['key_id', 'idempotency_key'])
    .execute()
  await db.schema.createIndex('admin_requests_by_age').on('admin_requests').columns(['created_at']).execute()
}

import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** People at the console send requests that are carried out once too: `key_id` is no longer a key of the admin API alone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (db.getExecutor().adapter instanceof PostgresAdapter)
    await db.schema.alterTable('admin_requests').dropConstraint('admin_requests_key_id_fkey').execute()
  else await rebuild(db)
}

/** SQLite drops no constraint of a table. */
async function rebuild(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('admin_requests').renameTo('admin_requests_before').execute()
  await db.schema
    .createTable('admin_requests')
    .addColumn('key_id', 'text', (c) => c.notNull())
    .addColumn('idempotency_key', 'text', (c) => c.notNull())
    .addColumn('request_hash', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('lease', 'text', (c) => c.notNull())
    .addColumn('lease_until', 'text', (c) => c.notNull())
    .addColumn('answer', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('admin_requests_pk', ['key_id', 'idempotency_key'])
    .execute()
  await sql`insert into admin_requests (key_id, idempotency_key, request_hash, state, lease, lease_until, answer, created_at)
    select key_id, idempotency_key, request_hash, state, lease, lease_until, answer, created_at from admin_requests_before`.execute(
    db,
  )
  await db.schema.dropTable('admin_requests_before').execute()
  await db.schema.createIndex('admin_requests_by_age').on('admin_requests').columns(['created_at']).execute()
}

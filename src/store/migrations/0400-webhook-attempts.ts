import type { Kysely } from 'kysely'

/** Attempts to send webhooks of media buys and creatives, for the buyers that they went to. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('webhook_attempts')
    .addColumn('attempt_id', 'text', (c) => c.notNull().primaryKey())
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('subject_kind', 'text', (c) => c.notNull())
    .addColumn('subject_id', 'text', (c) => c.notNull())
    .addColumn('idempotency_key', 'text', (c) => c.notNull())
    .addColumn('notification_type', 'text', (c) => c.notNull())
    .addColumn('subscriber_id', 'text')
    .addColumn('sequence_number', 'integer')
    .addColumn('attempt', 'integer', (c) => c.notNull())
    .addColumn('fired_at', 'text', (c) => c.notNull())
    .addColumn('completed_at', 'text', (c) => c.notNull())
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('http_status', 'integer')
    .addColumn('timed_out', 'integer', (c) => c.notNull())
    .addColumn('bytes', 'integer')
    .execute()
  await db.schema
    .createIndex('webhook_attempts_by_subject')
    .on('webhook_attempts')
    .columns(['tenant_id', 'principal_id', 'subject_kind', 'subject_id', 'fired_at'])
    .execute()
  await db.schema.createIndex('webhook_attempts_by_time').on('webhook_attempts').column('completed_at').execute()
}

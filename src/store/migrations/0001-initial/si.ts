import type { Kysely } from 'kysely'

export async function createSiTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('si_sessions')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('session_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('offering_id', 'text')
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('ended_reason', 'text')
    .addColumn('ended_at', 'text')
    .addColumn('last_active_at', 'text', (c) => c.notNull())
    .addColumn('ttl_seconds', 'integer', (c) => c.notNull())
    .addColumn('facts', 'text', (c) => c.notNull())
    .addColumn('identity', 'text')
    .addColumn('transcript', 'text')
    .addColumn('turns', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('si_sessions_pk', ['tenant_id', 'session_id'])
    .execute()
  await db.schema.createIndex('si_sessions_by_activity').on('si_sessions').columns(['tenant_id', 'last_active_at']).execute()
  await db.schema
    .createTable('si_offering_tokens')
    .addColumn('token_hash', 'text', (c) => c.primaryKey())
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('offering_id', 'text', (c) => c.notNull())
    .addColumn('shown', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('si_offering_tokens_by_expiry').on('si_offering_tokens').column('expires_at').execute()
}

import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('idempotency')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('idempotency_key', 'text', (c) => c.notNull())
    .addColumn('request_hash', 'text', (c) => c.notNull())
    .addColumn('claim', 'text', (c) => c.notNull())
    .addColumn('lease_until', 'text', (c) => c.notNull())
    .addColumn('response', 'text')
    .addColumn('expires_at', 'text', (c) => c.notNull())
    .addColumn('forget_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('idempotency_pk', ['tenant_id', 'principal_id', 'account_id', 'idempotency_key'])
    .execute()
  await db.schema.createIndex('idempotency_by_expiry').on('idempotency').columns(['expires_at']).execute()
  await db.schema.createIndex('idempotency_by_forget').on('idempotency').columns(['forget_at']).execute()
}

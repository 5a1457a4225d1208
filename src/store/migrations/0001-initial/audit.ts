import type { Kysely } from 'kysely'

/**
 * What happened, in two tables: `audit_entries` as calls leave them, in the transaction of their effect; `audit_log`, where a
 * background worker chains them by hash, one chain a tenant. Chaining in the call's own transaction would make every change of a
 * tenant wait for the one before it.
 */
export async function createAuditTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('audit_entries')
    .addColumn('entry_id', 'text', (c) => c.primaryKey())
    .addColumn('at', 'text', (c) => c.notNull())
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('entry', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('audit_entries_at').on('audit_entries').columns(['at', 'entry_id']).execute()
  await db.schema
    .createTable('audit_log')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('seq', 'integer', (c) => c.notNull())
    .addColumn('at', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text')
    .addColumn('task', 'text', (c) => c.notNull())
    .addColumn('outcome', 'text', (c) => c.notNull())
    .addColumn('entry', 'text', (c) => c.notNull())
    .addColumn('previous_hash', 'text', (c) => c.notNull())
    .addColumn('hash', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('audit_log_pk', ['tenant_id', 'seq'])
    .execute()
  await db.schema.createIndex('audit_log_principal').on('audit_log').columns(['tenant_id', 'principal_id', 'seq']).execute()
}

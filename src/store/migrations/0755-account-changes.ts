import type { Kysely } from 'kysely'

/** Changes of what accounts hold (AdCP 3.2 list_account_changes): written with each change, then put in order. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('account_change_entries')
    .addColumn('entry_id', 'text', (c) => c.primaryKey())
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('resource_type', 'text', (c) => c.notNull())
    .addColumn('resource_id', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('origin', 'text', (c) => c.notNull())
    .addColumn('revision', 'integer')
    .execute()
  await db.schema
    .createTable('account_changes')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('seq', 'integer', (c) => c.notNull())
    .addColumn('change_id', 'text', (c) => c.notNull())
    .addColumn('recorded_at', 'text', (c) => c.notNull())
    .addColumn('resource_type', 'text', (c) => c.notNull())
    .addColumn('resource_id', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('origin', 'text', (c) => c.notNull())
    .addColumn('revision', 'integer')
    .addPrimaryKeyConstraint('account_changes_key', ['tenant_id', 'account_id', 'seq'])
    .execute()
  await db.schema.createIndex('account_changes_recorded').on('account_changes').column('recorded_at').execute()
}

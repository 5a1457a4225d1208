import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('accounts')
    .addColumn('tenant_id', 'text', (c) => c.notNull().references('tenants.tenant_id'))
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('natural_key', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('sandbox', 'integer', (c) => c.notNull())
    .addColumn('implicit', 'integer', (c) => c.notNull())
    .addColumn('billing', 'text')
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('accounts_pk', ['tenant_id', 'account_id'])
    .addUniqueConstraint('accounts_natural', ['tenant_id', 'principal_id', 'natural_key'])
    .execute()
  await db.schema
    .createIndex('accounts_by_principal')
    .on('accounts')
    .columns(['tenant_id', 'principal_id', 'account_id'])
    .execute()
}

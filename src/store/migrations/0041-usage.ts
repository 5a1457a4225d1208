import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('usage_records')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('usage_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('fingerprint', 'text', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('cost_micros', 'bigint', (c) => c.notNull())
    .addColumn('currency', 'text', (c) => c.notNull())
    .addColumn('billed_on', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('usage_records_pk', ['tenant_id', 'usage_id'])
    .addUniqueConstraint('usage_records_once', ['tenant_id', 'principal_id', 'account_id', 'fingerprint'])
    .execute()
  await db.schema
    .createIndex('usage_records_by_account')
    .on('usage_records')
    .columns(['tenant_id', 'account_id', 'billed_on'])
    .execute()
  await db.schema
    .createTable('account_payments')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('payment_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('amount_micros', 'bigint', (c) => c.notNull())
    .addColumn('currency', 'text', (c) => c.notNull())
    .addColumn('paid_on', 'text', (c) => c.notNull())
    .addColumn('reference', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('account_payments_pk', ['tenant_id', 'payment_id'])
    .addForeignKeyConstraint('account_payments_account', ['tenant_id', 'account_id'], 'accounts', ['tenant_id', 'account_id'])
    .execute()
}

import type { Kysely } from 'kysely'

/** What is paid back to customers of their credit balances. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('refunds')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('refund_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('currency', 'text', (c) => c.notNull())
    .addColumn('amount_micros', 'bigint', (c) => c.notNull())
    .addColumn('paid_on', 'text', (c) => c.notNull())
    .addColumn('reference', 'text')
    .addColumn('recorded_at', 'text', (c) => c.notNull())
    .addColumn('recorded_by', 'text', (c) => c.notNull())
    .addColumn('taken_back_at', 'text')
    .addColumn('taken_back_by', 'text')
    .addColumn('taken_back_reason', 'text')
    .addPrimaryKeyConstraint('refunds_pk', ['tenant_id', 'refund_id'])
    .addForeignKeyConstraint('refunds_tenant', ['tenant_id'], 'tenants', ['tenant_id'])
    .execute()
  await db.schema.createIndex('refunds_by_account').on('refunds').columns(['tenant_id', 'account_id', 'recorded_at']).execute()
}

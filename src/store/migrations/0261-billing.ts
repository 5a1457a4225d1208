import type { Kysely } from 'kysely'

/** Closed months and their invoices. Rows are added and never changed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('billing_months')
    .addColumn('tenant_id', 'text', (c) => c.notNull().references('tenants.tenant_id'))
    .addColumn('month', 'text', (c) => c.notNull())
    .addColumn('closed_at', 'text', (c) => c.notNull())
    .addColumn('closed_by', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('billing_months_pk', ['tenant_id', 'month'])
    .execute()
  await db.schema
    .createTable('invoices')
    .addColumn('tenant_id', 'text', (c) => c.notNull().references('tenants.tenant_id'))
    .addColumn('invoice_id', 'text', (c) => c.notNull())
    .addColumn('month', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('currency', 'text', (c) => c.notNull())
    .addColumn('total_micros', 'bigint', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('invoices_pk', ['tenant_id', 'invoice_id'])
    .execute()
  await db.schema
    .createTable('invoice_lines')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('invoice_id', 'text', (c) => c.notNull())
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('service_month', 'text', (c) => c.notNull())
    .addColumn('media_buy_id', 'text', (c) => c.notNull())
    .addColumn('package_id', 'text', (c) => c.notNull())
    .addColumn('product_id', 'text', (c) => c.notNull())
    .addColumn('impressions', 'bigint', (c) => c.notNull())
    .addColumn('amount_micros', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('invoice_lines_pk', ['tenant_id', 'invoice_id', 'position'])
    .addForeignKeyConstraint('invoice_lines_invoice', ['tenant_id', 'invoice_id'], 'invoices', ['tenant_id', 'invoice_id'])
    .execute()
  await db.schema.createIndex('invoice_lines_months').on('invoice_lines').columns(['tenant_id', 'service_month']).execute()
}

import type { Kysely } from 'kysely'

/** Payments of invoices. What was taken back stays, with who took it back and why. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('invoice_payments')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('payment_id', 'text', (c) => c.notNull())
    .addColumn('invoice_id', 'text', (c) => c.notNull())
    .addColumn('amount_micros', 'bigint', (c) => c.notNull())
    .addColumn('paid_on', 'text', (c) => c.notNull())
    .addColumn('reference', 'text')
    .addColumn('recorded_at', 'text', (c) => c.notNull())
    .addColumn('recorded_by', 'text', (c) => c.notNull())
    .addColumn('taken_back_at', 'text')
    .addColumn('taken_back_by', 'text')
    .addColumn('taken_back_reason', 'text')
    .addPrimaryKeyConstraint('invoice_payments_pk', ['tenant_id', 'payment_id'])
    .addForeignKeyConstraint('invoice_payments_invoice', ['tenant_id', 'invoice_id'], 'invoices', ['tenant_id', 'invoice_id'])
    .execute()
  await db.schema.createIndex('invoice_payments_invoices').on('invoice_payments').columns(['tenant_id', 'invoice_id']).execute()
}

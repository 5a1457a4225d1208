import type { Kysely } from 'kysely'

/** Invoices keep what they say: parties, names, quantities, tax and due date. The publisher's own part of it is stored once. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('invoicing')
    .addColumn('tenant_id', 'text', (c) => c.primaryKey().references('tenants.tenant_id'))
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .execute()
  await db.schema.alterTable('invoices').addColumn('payable_micros', 'bigint').execute()
  await db.schema.alterTable('invoices').addColumn('due_on', 'text').execute()
  await db.schema.alterTable('invoices').addColumn('content', 'text').execute()
  await db.schema.alterTable('invoice_lines').addColumn('counts', 'text').execute()
}

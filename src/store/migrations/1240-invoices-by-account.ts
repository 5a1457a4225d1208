import type { Kysely } from 'kysely'

/** Closing a month looks up what was billed of packages, and pages of invoices are read by account and month: neither reads all that was ever billed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const index = (name: string, table: string, columns: string[]) =>
    db.schema.createIndex(name).on(table).columns(columns).execute()
  await db.schema.dropIndex('invoice_lines_months').execute()
  await index('invoice_lines_of_months', 'invoice_lines', ['tenant_id', 'service_month', 'package_id'])
  await index('invoice_lines_of_packages', 'invoice_lines', ['tenant_id', 'package_id'])
  await index('invoices_of_accounts', 'invoices', ['tenant_id', 'account_id', 'month', 'invoice_id'])
  await index('invoices_of_months', 'invoices', ['tenant_id', 'month', 'invoice_id'])
  await index('credit_notes_of_invoices', 'invoices', ['tenant_id', 'refers_to'])
}

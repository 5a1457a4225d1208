import { type Invoicing, NO_INVOICING } from '../../domain/billing/invoicing.ts'
import type { Db } from '../database.ts'

/** What the invoices of a publisher say of itself. */
export async function findInvoicing(db: Db, tenantId: string): Promise<Invoicing> {
  const row = await db.selectFrom('invoicing').select('document').where('tenant_id', '=', tenantId).executeTakeFirst()
  return row ? JSON.parse(row.document) : NO_INVOICING
}

/** Stores it in the place of what was stored. */
export async function saveInvoicing(tx: Db, tenantId: string, invoicing: Invoicing, now: Date): Promise<void> {
  const document = JSON.stringify(invoicing)
  const updated_at = now.toISOString()
  await tx
    .insertInto('invoicing')
    .values({ tenant_id: tenantId, document, updated_at })
    .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet({ document, updated_at }))
    .execute()
}

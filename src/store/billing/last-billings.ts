import { serviceKey } from '../../domain/billing/billing-lines.ts'
import { chunksOf } from '../chunks.ts'
import type { Db } from '../database.ts'

/** The invoice or credit note that had each service of some packages last, by the key of the service. */
export async function lastBillings(
  db: Db,
  tenantId: string,
  packageIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const last = new Map<string, { readonly invoiceId: string; readonly createdAt: string }>()
  for (const ids of chunksOf(packageIds)) {
    const rows = await db
      .selectFrom('invoice_lines as l')
      .innerJoin('invoices as i', (join) =>
        join.onRef('i.tenant_id', '=', 'l.tenant_id').onRef('i.invoice_id', '=', 'l.invoice_id'),
      )
      .select(['l.package_id', 'l.service_month', 'l.invoice_id', 'i.created_at'])
      .where('l.tenant_id', '=', tenantId)
      .where('l.package_id', 'in', ids)
      .execute()
    for (const { package_id: packageId, service_month: serviceMonth, invoice_id: invoiceId, created_at: createdAt } of rows) {
      const key = serviceKey({ packageId, serviceMonth })
      const before = last.get(key)
      const isLater = !before || createdAt > before.createdAt || (createdAt === before.createdAt && invoiceId > before.invoiceId)
      if (isLater) last.set(key, { invoiceId, createdAt })
    }
  }
  return new Map([...last].map(([key, { invoiceId }]) => [key, invoiceId]))
}

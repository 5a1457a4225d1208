import { serviceKey } from '../../domain/billing/billing-lines.ts'
import { chunksOf, readChunks } from '../chunks.ts'
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

/** The latest invoice of each account that bills a line of some orders: its account, order and line. Credit notes are none. */
export async function lastInvoices(
  db: Db,
  tenantId: string,
  orderIds: readonly string[],
): Promise<
  readonly { readonly accountId: string; readonly orderId: string; readonly lineId: string; readonly invoiceId: string }[]
> {
  return readChunks(orderIds, async (ids) => {
    const rows = await db
      .selectFrom('invoice_lines as l')
      .innerJoin('invoices as i', (join) =>
        join.onRef('i.tenant_id', '=', 'l.tenant_id').onRef('i.invoice_id', '=', 'l.invoice_id'),
      )
      .select(['i.account_id', 'l.media_buy_id', 'l.package_id', (e) => e.fn.max('i.invoice_id').as('invoice_id')])
      .where('l.tenant_id', '=', tenantId)
      .where('l.media_buy_id', 'in', ids)
      .where('i.refers_to', 'is', null)
      .groupBy(['i.account_id', 'l.media_buy_id', 'l.package_id'])
      .execute()
    return rows.map(({ account_id: accountId, media_buy_id: orderId, package_id: lineId, invoice_id: invoiceId }) => ({
      ...{ accountId, orderId, lineId, invoiceId },
    }))
  })
}

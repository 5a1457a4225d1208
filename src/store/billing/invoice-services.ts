import type { Selectable } from 'kysely'
import type { BilledService } from '../../domain/billing/billing-lines.ts'
import type { Metrics } from '../../domain/media-buy/delivery.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../database.ts'
import type { Invoice } from './invoices.ts'
import type { BillingTables } from './rows.ts'

/** What was billed of some packages in a month of service, line by line in the order of their invoices; as many packages as fit one statement. */
export async function billedServices(
  db: Db,
  tenantId: string,
  serviceMonth: string,
  packageIds: readonly string[],
): Promise<BilledService[]> {
  const rows = await db
    .selectFrom('invoice_lines as l')
    .innerJoin('invoices as i', (join) =>
      join.onRef('i.tenant_id', '=', 'l.tenant_id').onRef('i.invoice_id', '=', 'l.invoice_id'),
    )
    .selectAll('l')
    .select(['i.account_id', 'i.currency'])
    .where('l.tenant_id', '=', tenantId)
    .where('l.package_id', 'in', packageIds)
    .where('l.service_month', '=', serviceMonth)
    .execute()
  // Sorted here: SQLite answers an order by the primary key from the primary key, through all lines ever billed.
  const sorted = rows.toSorted((a, b) =>
    a.invoice_id < b.invoice_id ? -1 : a.invoice_id > b.invoice_id ? 1 : a.position - b.position,
  )
  return sorted.map((row) => ({ ...serviceOf(row), accountId: row.account_id, currency: row.currency }))
}

/** Lines that are read at once. */
const LINES = 500

/** What an invoice bills of deliveries, line by line; there may be thousands. */
export async function listInvoiceServices(
  db: Db,
  tenantId: string,
  { invoiceId, accountId, currency }: Pick<Invoice, 'invoiceId' | 'accountId' | 'currency'>,
): Promise<BilledService[]> {
  const services: BilledService[] = []
  for (let after = 0; ; ) {
    const rows = await db
      .selectFrom('invoice_lines')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('invoice_id', '=', invoiceId)
      .where('position', '>', after)
      .orderBy('position')
      .limit(LINES)
      .execute()
    for (const row of rows) services.push({ ...serviceOf(row), accountId, currency })
    const last = rows.at(-1)
    if (!last || rows.length < LINES) return services
    after = Number(last.position)
    await yieldToEventLoop()
  }
}

function serviceOf(row: Selectable<BillingTables['invoice_lines']>) {
  const counts: Metrics | undefined = row.counts === null ? undefined : JSON.parse(row.counts)
  return {
    counts,
    serviceMonth: row.service_month,
    mediaBuyId: row.media_buy_id,
    packageId: row.package_id,
    productId: row.product_id,
    impressions: Number(row.impressions),
    amountMicros: Number(row.amount_micros),
  }
}

import { sql } from 'kysely'
import { serviceKey } from '../../domain/billing/billing-lines.ts'
import { chunksOf } from '../chunks.ts'
import type { Db } from '../database.ts'
import { type Invoice, invoiceOf, LISTED } from './invoices.ts'

/** The credit notes of an invoice, in the order of their numbers. */
export async function listCreditNotes(db: Db, tenantId: string, invoiceId: string): Promise<Invoice[]> {
  const rows = await db
    .selectFrom('invoices')
    .select(LISTED)
    .where('tenant_id', '=', tenantId)
    .where('refers_to', '=', invoiceId)
    .orderBy('created_at')
    .orderBy('invoice_id')
    .execute()
  return rows.map(invoiceOf)
}

/** The invoices that bill delivery of an order, oldest first. */
export async function invoicesOfOrder(db: Db, tenantId: string, orderId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('invoice_lines')
    .select('invoice_id')
    .distinct()
    .where('tenant_id', '=', tenantId)
    .where('media_buy_id', '=', orderId)
    .orderBy('invoice_id')
    .execute()
  return rows.map((row) => row.invoice_id)
}

/** What invoices bill of the delivery of an order, less credit notes, by line and month of service: gross, in micros. */
export async function billedOfOrder(
  db: Db,
  tenantId: string,
  orderId: string,
): Promise<readonly { readonly packageId: string; readonly serviceMonth: string; readonly micros: number }[]> {
  const rows = await db
    .selectFrom('invoice_lines')
    .select(['package_id', 'service_month', (e) => e.fn.sum('amount_micros').as('micros')])
    .where('tenant_id', '=', tenantId)
    .where('media_buy_id', '=', orderId)
    .groupBy(['package_id', 'service_month'])
    .execute()
  return rows.map(({ package_id: packageId, service_month: serviceMonth, micros }) => ({
    ...{ packageId, serviceMonth, micros: Number(micros) },
  }))
}

/** Services that are billed anew because the invoice of each was credited as a whole, by their keys: the invoice. */
export async function reopenedServices(
  db: Db,
  tenantId: string,
  packageIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const reopened = new Map<string, string>()
  for (const ids of chunksOf(packageIds)) {
    const rows = await db
      .selectFrom('invoice_lines as l')
      .innerJoin('invoices as i', (join) =>
        join.onRef('i.tenant_id', '=', 'l.tenant_id').onRef('i.invoice_id', '=', 'l.invoice_id'),
      )
      .select(['l.package_id', 'l.service_month', (e) => e.fn.max('i.refers_to').as('invoice')])
      .where('l.tenant_id', '=', tenantId)
      .where('l.package_id', 'in', ids)
      .groupBy(['l.package_id', 'l.service_month'])
      .having(sql<boolean>`sum(l.impressions) = 0 and sum(l.amount_micros) = 0`)
      .execute()
    for (const { package_id: packageId, service_month: serviceMonth, invoice } of rows)
      if (invoice !== null) reopened.set(serviceKey({ packageId, serviceMonth }), invoice)
  }
  return reopened
}

/** What was billed of the delivery of an account, by currency, in micros. */
export async function billedSums(db: Db, tenantId: string, accountId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('invoice_lines as l')
    .innerJoin('invoices as i', (join) =>
      join.onRef('i.tenant_id', '=', 'l.tenant_id').onRef('i.invoice_id', '=', 'l.invoice_id'),
    )
    .select(['i.currency', (e) => e.fn.sum('l.amount_micros').as('micros')])
    .where('l.tenant_id', '=', tenantId)
    .where('i.account_id', '=', accountId)
    .groupBy('i.currency')
    .execute()
  return new Map(rows.map(({ currency, micros }) => [currency, Number(micros)]))
}

/** A month of service of a line that is on an invoice, the first of which is named. */
export interface InvoicedMonth {
  readonly lineId: string
  readonly month: string
  readonly invoiceId: string
  /** Credited as a whole: it is due again. */
  readonly isReopened: boolean
}

/** What invoices bill of the delivery of an order, by line and month of service, the oldest month first. */
export async function invoicedMonths(db: Db, tenantId: string, orderId: string): Promise<readonly InvoicedMonth[]> {
  const rows = await db
    .selectFrom('invoice_lines')
    .select(['package_id', 'service_month'])
    .select((e) => [
      e.fn.min('invoice_id').as('invoice'),
      e.fn.sum('impressions').as('impressions'),
      e.fn.sum('amount_micros').as('micros'),
    ])
    .where('tenant_id', '=', tenantId)
    .where('media_buy_id', '=', orderId)
    .groupBy(['package_id', 'service_month'])
    .orderBy('service_month')
    .execute()
  return rows.map((row) => ({
    ...{ lineId: row.package_id, month: row.service_month, invoiceId: row.invoice },
    isReopened: Number(row.impressions) === 0 && Number(row.micros) === 0,
  }))
}

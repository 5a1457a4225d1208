import type { BilledService } from '../../domain/billing/billing-lines.ts'
import { daysOfMonth } from '../../domain/billing/billing-lines.ts'
import { type InvoiceDocument, invoiceDocument } from '../../domain/billing/invoice-document.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { listInvoiceServices } from '../../store/billing/invoice-services.ts'
import { findInvoice, type Invoice } from '../../store/billing/invoices.ts'
import type { Db } from '../../store/database.ts'
import { findTenant } from '../../store/identity/tenants.ts'
import { buyerOf, signed } from './make-invoice.ts'

/** An invoice, and what it says. */
export interface ReadInvoice {
  readonly invoice: Invoice
  readonly document: InvoiceDocument
}

/** The refusal of an invoice that a publisher does not have. */
export function missingInvoice(id: string): AdcpError {
  return new AdcpError('REFERENCE_NOT_FOUND', `there is no invoice ${id}`, { field: 'invoice' })
}

/** One invoice with what it says. Throws REFERENCE_NOT_FOUND. */
export async function readInvoice(db: Db, tenantId: string, id: string): Promise<ReadInvoice> {
  const found = await findInvoice(db, tenantId, id)
  if (!found) throw missingInvoice(id)
  // An invoice may have thousands of lines: to read it, to put it into words and to write it are a turn each.
  await yieldToEventLoop()
  const { invoice, content } = found
  if (content) return { invoice, document: content }
  const tenant = await findTenant(db, tenantId)
  const services = await listInvoiceServices(db, tenantId, invoice)
  return { invoice, document: earlierDocument(tenant?.name ?? tenantId, invoice, services) }
}

/** What is known of an invoice that was written before invoices kept what they say: ids and amounts, and no tax. */
function earlierDocument(seller: string, invoice: Invoice, services: readonly BilledService[]): InvoiceDocument {
  const { invoiceId: number, accountId, account, currency, month, totalMicros, createdAt } = invoice
  const sign = totalMicros < 0 ? -1 : 1
  const lines = services.map((service) => {
    const { serviceMonth, mediaBuyId: orderId, packageId: lineId, productId, amountMicros: grossMicros } = service
    const kind = serviceMonth === month ? ('delivery' as const) : ('adjustment' as const)
    const ids = { serviceMonth, orderId, lineId, productId, name: productId }
    return signed({ kind, ...ids, unit: 'impressions', quantity: service.impressions, per: 1000, grossMicros }, sign)
  })
  const facts = { kind: sign < 0 ? ('credit_note' as const) : ('invoice' as const), number, currency, language: 'en' as const }
  const parties = { seller: { name: seller }, buyer: buyerOf(accountId, account), buyerReference: accountId }
  const period = daysOfMonth(month)
  return invoiceDocument(
    { ...facts, ...parties, issuedOn: createdAt.slice(0, 10), period, tax: { kind: 'outside_scope' } },
    lines,
  )
}

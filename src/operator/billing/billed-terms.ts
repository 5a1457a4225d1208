import { type BilledService, serviceKey } from '../../domain/billing/billing-lines.ts'
import type { Deductions, LineFacts } from '../../domain/billing/invoice-document.ts'
import { groupBy } from '../../domain/group-by.ts'
import type { Charge } from '../../domain/media-buy/charge.ts'
import { reopenedServices } from '../../store/billing/credit-notes.ts'
import { lastBillings, lastInvoices } from '../../store/billing/last-billings.ts'
import type { Db } from '../../store/database.ts'
import { type ReadInvoice, readInvoice } from './read-document.ts'

/** What an invoice says of an order: its own number, and the purchase order and the name of the order as it has them. */
type Invoiced = Pick<LineFacts, 'ofInvoice' | 'poNumber' | 'orderName'>

/** What services were billed at: discount and commission, and what their invoice says of the order. */
export type BilledAt = Deductions & Invoiced

/**
 * What services were billed at, by their keys: a correction takes that of the invoice that it corrects, whatever the order has now. A service that was never billed has none, nor has one
 * that is billed anew because its invoice was credited as a whole: both take the terms of the order.
 */
export async function billedTerms(
  db: Db,
  tenantId: string,
  services: readonly Pick<BilledService, 'packageId' | 'serviceMonth'>[],
): Promise<ReadonlyMap<string, BilledAt>> {
  const asked = new Set(services.map(serviceKey))
  const packages = [...new Set(services.map(({ packageId }) => packageId))]
  const reopened = await reopenedServices(db, tenantId, packages)
  const billed = [...(await lastBillings(db, tenantId, packages))].filter(([key]) => asked.has(key) && !reopened.has(key))
  const terms = new Map<string, BilledAt>()
  for (const [invoiceId, own] of groupBy(billed, ([, id]) => id)) {
    const wanted = new Set(own.map(([key]) => key))
    const read = await readInvoice(db, tenantId, invoiceId)
    for (const line of read.document.lines) {
      const { kind, lineId: packageId, serviceMonth, discount, commission } = line
      const key = serviceKey({ packageId, serviceMonth })
      if ((kind === 'delivery' || kind === 'adjustment') && wanted.has(key))
        terms.set(key, {
          ...{ discountPercent: discount?.percent ?? 0, commissionPercent: commission?.percent ?? 0 },
          ...invoicedAs(read, line),
        })
    }
  }
  return terms
}

/** A credit note corrects the invoice that it is of, or that its line corrects. */
function invoicedAs(
  { invoice: { invoiceId, refersTo }, document: { kind } }: ReadInvoice,
  line: Partial<Pick<LineFacts, 'poNumber' | 'orderName' | 'ofInvoice'>> = {},
): Invoiced {
  const { poNumber, orderName } = line
  const ofInvoice = kind === 'credit_note' ? (refersTo ?? line.ofInvoice ?? invoiceId) : invoiceId
  return { ofInvoice, ...(poNumber !== undefined && { poNumber }), ...(orderName !== undefined && { orderName }) }
}

/** What a credit says of its order, from the latest invoice of its party that bills its line, or its order, by the id of the charge. A credit of something that was never invoiced is not in the map: it says what the order has now. */
export type CreditedAt = ReadonlyMap<string, Invoiced>

export async function creditedAt(db: Db, tenantId: string, charges: readonly Charge[]): Promise<CreditedAt> {
  const credits = charges.filter(({ micros }) => micros < 0)
  const invoices = await lastInvoices(db, tenantId, [...new Set(credits.map(({ orderId }) => orderId))])
  const byOrder = groupBy(invoices, ({ orderId }) => orderId)
  const found = credits.flatMap((credit) => {
    const own = (byOrder.get(credit.orderId) ?? []).filter(
      ({ accountId, lineId }) => accountId === credit.accountId && (credit.lineId === '' || credit.lineId === lineId),
    )
    const invoiceId = own
      .map((each) => each.invoiceId)
      .toSorted()
      .at(-1)
    return invoiceId === undefined ? [] : [{ credit, invoiceId }]
  })
  const said = new Map<string, Invoiced>()
  for (const [invoiceId, own] of groupBy(found, (each) => each.invoiceId)) {
    const read = await readInvoice(db, tenantId, invoiceId)
    for (const { credit } of own) {
      const line = read.document.lines.find(
        ({ orderId, lineId }) => orderId === credit.orderId && (credit.lineId === '' || lineId === credit.lineId),
      )
      said.set(credit.chargeId, invoicedAs(read, line))
    }
  }
  return said
}

import { type BilledService, serviceKey } from '../../domain/billing/billing-lines.ts'
import type { Deductions, LineFacts } from '../../domain/billing/invoice-document.ts'
import { groupBy } from '../../domain/group-by.ts'
import type { Charge } from '../../domain/media-buy/charge.ts'
import { reopenedServices } from '../../store/billing/credit-notes.ts'
import { lastBillings, lastInvoices } from '../../store/billing/last-billings.ts'
import type { Db } from '../../store/database.ts'
import { readInvoice } from './read-document.ts'

/** What a service was billed at: discount and commission, and the purchase order and the name of the order as the invoice has them. */
export type BilledAt = Deductions & Pick<LineFacts, 'poNumber' | 'orderName'>

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
    const { document } = await readInvoice(db, tenantId, invoiceId)
    for (const { kind, lineId: packageId, serviceMonth, discount, commission, poNumber, orderName } of document.lines) {
      const key = serviceKey({ packageId, serviceMonth })
      if ((kind === 'delivery' || kind === 'adjustment') && wanted.has(key))
        terms.set(key, {
          ...{ discountPercent: discount?.percent ?? 0, commissionPercent: commission?.percent ?? 0 },
          ...(poNumber !== undefined && { poNumber }),
          ...(orderName !== undefined && { orderName }),
        })
    }
  }
  return terms
}

/** What a credit says of its order: the purchase order and the name of the latest invoice of its party that bills its line, or its order, by the id of the charge. One of what was never invoiced has none: it says those of the order. */
export type CreditedAt = ReadonlyMap<string, Pick<LineFacts, 'poNumber' | 'orderName'>>

export async function creditedAt(db: Db, tenantId: string, charges: readonly Charge[]): Promise<CreditedAt> {
  const credits = charges.filter(({ micros }) => micros < 0)
  const invoices = await lastInvoices(db, tenantId, [...new Set(credits.map(({ orderId }) => orderId))])
  const found = credits.flatMap((credit) => {
    const own = invoices.filter(
      ({ accountId, orderId, lineId }) =>
        accountId === credit.accountId && orderId === credit.orderId && (credit.lineId === '' || credit.lineId === lineId),
    )
    const invoiceId = own
      .map((each) => each.invoiceId)
      .toSorted()
      .at(-1)
    return invoiceId === undefined ? [] : [{ credit, invoiceId }]
  })
  const said = new Map<string, Pick<LineFacts, 'poNumber' | 'orderName'>>()
  for (const [invoiceId, own] of groupBy(found, (each) => each.invoiceId)) {
    const { document } = await readInvoice(db, tenantId, invoiceId)
    for (const { credit } of own) {
      const line = document.lines.find(
        ({ orderId, lineId }) => orderId === credit.orderId && (credit.lineId === '' || lineId === credit.lineId),
      )
      const { poNumber, orderName } = line ?? {}
      said.set(credit.chargeId, { ...(poNumber !== undefined && { poNumber }), ...(orderName !== undefined && { orderName }) })
    }
  }
  return said
}

import { serviceKey } from '../../domain/billing/billing-lines.ts'
import { payableMicros, taxMicros } from '../../domain/billing/invoice-rounding.ts'
import { type Tax, taxOf } from '../../domain/billing/tax-rule.ts'
import { groupBy } from '../../domain/group-by.ts'
import { giveWay } from '../../platform/concurrency/yield-to-event-loop.ts'
import { reopenedServices } from '../../store/billing/credit-notes.ts'
import { findInvoices, type Invoice } from '../../store/billing/invoices.ts'
import { lastBillings } from '../../store/billing/last-billings.ts'
import { readChunks } from '../../store/chunks.ts'
import { findOrderTerms } from '../../store/order/order-terms.ts'
import { partiesOfOrders } from '../../store/order/orders.ts'
import type { OperatorContext } from '../operator-context.ts'
import { creditedAt } from './billed-terms.ts'
import { accountsOf, type OwedBook, ordersOf, payerOfBook } from './book-payer.ts'
import { buyerOf, issuerOf } from './make-invoice.ts'
import { readInvoice } from './read-document.ts'

/** A book before it has a number. */
export interface UnnumberedBook extends OwedBook {
  /** Of corrections of invoices that were taxed otherwise than today: their tax, and who paid them. */
  readonly taxedAs?: { readonly tax: Tax; readonly account: Invoice['account'] }
}

/**
 * Books of a month, corrections of invoices with another tax than that of today before the rest of their book: the tax of a correction, and of a credit of what was invoiced, is that of its invoice, and an invoice has
 * one tax. Invoices from before they said their tax are corrected at that of today.
 */
export async function taxedApart(
  context: OperatorContext,
  tenantId: string,
  month: string,
  books: readonly OwedBook[],
): Promise<readonly UnnumberedBook[]> {
  const db = context.store.read
  const lines = books.flatMap((book) => book.lines.filter(({ serviceMonth }) => serviceMonth !== month))
  const credited = await creditedAt(
    db,
    tenantId,
    books.flatMap(({ charges }) => charges),
  )
  if (lines.length === 0 && credited.size === 0) return books
  const packages = [...new Set(lines.map(({ packageId }) => packageId))]
  const [last, reopened] = [await lastBillings(db, tenantId, packages), await reopenedServices(db, tenantId, packages)]
  const invoiced = new Map([...last].filter(([key]) => !reopened.has(key)))
  const numbers = [...invoiced.values(), ...[...credited.values()].flatMap(({ ofInvoice }) => ofInvoice ?? [])]
  const rows = await readChunks([...new Set(numbers)], async (ids) => [...(await findInvoices(db, tenantId, ids)).values()])
  const invoices = new Map(rows.map((row) => [row.invoiceId, row]))
  const { invoicing } = await issuerOf(context, tenantId)
  const orderIds = books.flatMap(ordersOf)
  const accounts = await accountsOf(
    context,
    tenantId,
    books.flatMap((book) => [...book.lines, ...book.charges]),
  )
  const known = {
    accounts,
    parties: await partiesOfOrders(db, tenantId, orderIds),
    terms: await findOrderTerms(db, tenantId, orderIds),
  }
  const split: UnnumberedBook[] = []
  for (const book of books) {
    await giveWay()
    const invoiceOfLine = (line: OwedBook['lines'][number]) =>
      line.serviceMonth === month ? undefined : invoices.get(invoiced.get(serviceKey(line)) ?? '')
    const invoiceOfCharge = ({ chargeId }: OwedBook['charges'][number]) => invoices.get(credited.get(chargeId)?.ofInvoice ?? '')
    const corrected = [...book.lines.map(invoiceOfLine), ...book.charges.map(invoiceOfCharge)].flatMap((each) => each ?? [])
    const buyer = corrected[0] && buyerOf(corrected[0].accountId, await payerOfBook(context, tenantId, book, known))
    const today = buyer && taxOf(invoicing.party, buyer, invoicing.taxRules)
    const others = corrected.filter((invoice) => today && !isTaxedAs(invoice, today))
    if (others.length === 0) {
      split.push(book)
      continue
    }
    const taxes = new Map<string, Tax>()
    for (const { invoiceId } of others)
      if (!taxes.has(invoiceId)) taxes.set(invoiceId, (await readInvoice(db, tenantId, invoiceId)).document.tax)
    const taxKey = (invoice: Invoice | undefined) => JSON.stringify(taxes.get(invoice?.invoiceId ?? '') ?? null)
    const [ofLines, ofCharges] = [
      groupBy(book.lines, (line) => taxKey(invoiceOfLine(line))),
      groupBy(book.charges, (charge) => taxKey(invoiceOfCharge(charge))),
    ]
    // What has the tax of today comes last: its invoice is the latest of its lines.
    const keys = [...new Set([...ofLines.keys(), ...ofCharges.keys()])].sort(
      (a, b) => Number(a === 'null') - Number(b === 'null'),
    )
    for (const key of keys) {
      const part = { lines: ofLines.get(key) ?? [], charges: ofCharges.get(key) ?? [] }
      const newest = others.filter((invoice) => taxKey(invoice) === key).at(-1)
      const tax = newest && taxes.get(newest.invoiceId)
      split.push({ ...part, ...(newest && tax && { taxedAs: { tax, account: newest.account } }) })
    }
  }
  return split
}

/** Whether the tax of an invoice is what another tax would have been, as far as its amounts say. */
export function isTaxedAs({ totalMicros, payableMicros: payable, currency }: Invoice, tax: Tax): boolean {
  const netMicros = payableMicros(totalMicros, currency)
  return payable === undefined || payable - netMicros === (tax.kind === 'rate' ? taxMicros(netMicros, tax.percent, currency) : 0)
}

import { daysOfMonth, serviceKey } from '../../domain/billing/billing-lines.ts'
import { payableMicros, taxMicros } from '../../domain/billing/invoice-rounding.ts'
import { type Tax, taxOf } from '../../domain/billing/tax-rule.ts'
import { localMonth } from '../../domain/calendar/local-time.ts'
import { groupBy } from '../../domain/group-by.ts'
import { giveWay } from '../../platform/concurrency/yield-to-event-loop.ts'
import { reopenedServices } from '../../store/billing/credit-notes.ts'
import { findInvoices, type Invoice } from '../../store/billing/invoices.ts'
import { lastBillings } from '../../store/billing/last-billings.ts'
import { readChunks } from '../../store/chunks.ts'
import type { Db } from '../../store/database.ts'
import { findOrderTerms } from '../../store/order/order-terms.ts'
import { partiesOfOrders } from '../../store/order/orders.ts'
import type { OperatorContext } from '../operator-context.ts'
import { creditedAt } from './billed-terms.ts'
import { accountsOf, type OwedBook, ordersOf, ownerOf, payerOfBook } from './book-payer.ts'
import { buyerOf, issuerOf } from './make-invoice.ts'
import { readInvoice } from './read-document.ts'

/** A book before it has a number. */
export interface UnnumberedBook extends OwedBook {
  /** Of what is taxed otherwise than the services of the month: its tax, and who paid the invoice that it corrects. */
  readonly taxedAs?: { readonly tax: Tax; readonly account?: Invoice['account'] }
}

/** A line or a charge of a book: the invoice that it corrects, and its month of service. */
interface Taxed {
  readonly invoice: Invoice | undefined
  readonly serviceMonth: string
}

/**
 * Books of a month, what is taxed otherwise than services of the month before the rest of their book, since an invoice has one tax. The tax of a correction, and of a credit of what was invoiced, is that of its invoice; services and
 * charges of an earlier month that were never billed, or are billed anew, have the tax of their month. Invoices from before they said their tax are corrected at that of the month.
 */
export async function taxedApart(
  context: OperatorContext,
  tenantId: string,
  { month, zone }: { readonly month: string; readonly zone: string },
  books: readonly OwedBook[],
): Promise<readonly UnnumberedBook[]> {
  const db = context.store.read
  const lines = books.flatMap((book) => book.lines.filter(({ serviceMonth }) => serviceMonth !== month))
  const charges = books.flatMap((book) => book.charges)
  const credited = await creditedAt(db, tenantId, charges)
  const monthOf = ({ incurredAt }: OwedBook['charges'][number]) => localMonth(new Date(incurredAt), zone)
  if (lines.length === 0 && credited.size === 0 && charges.every((charge) => monthOf(charge) === month)) return books
  const packages = [...new Set(lines.map(({ packageId }) => packageId))]
  const [last, reopened] = [await lastBillings(db, tenantId, packages), await reopenedServices(db, tenantId, packages)]
  const invoiced = new Map([...last].filter(([key]) => !reopened.has(key)))
  const numbers = [...invoiced.values(), ...[...credited.values()].flatMap(({ ofInvoice }) => ofInvoice ?? [])]
  const rows = await readChunks([...new Set(numbers)], async (ids) => [...(await findInvoices(db, tenantId, ids)).values()])
  const invoices = new Map(rows.map((row) => [row.invoiceId, row]))
  const ofLine = (line: OwedBook['lines'][number]): Taxed => ({
    invoice: line.serviceMonth === month ? undefined : invoices.get(invoiced.get(serviceKey(line)) ?? ''),
    serviceMonth: line.serviceMonth,
  })
  const ofCharge = (charge: OwedBook['charges'][number]): Taxed => ({
    invoice: invoices.get(credited.get(charge.chargeId)?.ofInvoice ?? ''),
    serviceMonth: monthOf(charge),
  })
  const isElsewhere = ({ invoice, serviceMonth }: Taxed) => invoice !== undefined || serviceMonth !== month
  const { invoicing } = await issuerOf(context, tenantId)
  const orderIds = books.flatMap(ordersOf)
  const known = {
    accounts: await accountsOf(context, tenantId, [...books.flatMap((book) => book.lines), ...charges]),
    parties: await partiesOfOrders(db, tenantId, orderIds),
    terms: await findOrderTerms(db, tenantId, orderIds),
  }
  const split: UnnumberedBook[] = []
  for (const book of books) {
    await giveWay()
    const elsewhere = [...book.lines.map(ofLine), ...book.charges.map(ofCharge)].filter(isElsewhere)
    if (elsewhere.length === 0) {
      split.push(book)
      continue
    }
    const buyer = buyerOf(ownerOf(book).accountId, await payerOfBook(context, tenantId, book, known))
    const taxOn = (service: string) => taxOf(invoicing.party, buyer, invoicing.taxRules, daysOfMonth(service).last)
    const others = await otherTaxes(db, tenantId, elsewhere, { month, taxOn })
    const keyOf = (taxed: Taxed) => JSON.stringify(others.get(placeOf(taxed))?.tax ?? null)
    const [lineGroups, chargeGroups] = [
      groupBy(book.lines, (line) => keyOf(ofLine(line))),
      groupBy(book.charges, (charge) => keyOf(ofCharge(charge))),
    ]
    // What has the tax of the month comes last: its invoice is the latest of its lines.
    const keys = [...new Set([...lineGroups.keys(), ...chargeGroups.keys()])].sort(
      (a, b) => Number(a === 'null') - Number(b === 'null'),
    )
    for (const key of keys) {
      const part = { lines: lineGroups.get(key) ?? [], charges: chargeGroups.get(key) ?? [] }
      const taxedAs = elsewhere.flatMap((taxed) => (keyOf(taxed) === key ? (others.get(placeOf(taxed)) ?? []) : [])).at(-1)
      split.push({ ...part, ...(taxedAs && { taxedAs }) })
    }
  }
  return split
}

/** Names what decides of a tax: an invoice, else a month of service. */
function placeOf({ invoice, serviceMonth }: Taxed): string {
  return invoice?.invoiceId ?? serviceMonth
}

/** The taxes that are not that of the month, by what decides of them. */
async function otherTaxes(
  db: Db,
  tenantId: string,
  elsewhere: readonly Taxed[],
  { month, taxOn }: { readonly month: string; taxOn(service: string): Tax },
): Promise<ReadonlyMap<string, NonNullable<UnnumberedBook['taxedAs']>>> {
  const others = new Map<string, NonNullable<UnnumberedBook['taxedAs']>>()
  const ofMonth = taxOn(month)
  const seen = new Set<string>()
  for (const taxed of elsewhere) {
    const place = placeOf(taxed)
    if (seen.has(place)) continue
    seen.add(place)
    const { invoice, serviceMonth } = taxed
    if (invoice) {
      if (isTaxedAs(invoice, ofMonth)) continue
      others.set(place, { tax: (await readInvoice(db, tenantId, place)).document.tax, account: invoice.account })
      continue
    }
    const tax = taxOn(serviceMonth)
    if (JSON.stringify(tax) !== JSON.stringify(ofMonth)) others.set(place, { tax })
  }
  return others
}

/** Whether the tax of an invoice is what another tax would have been, as far as its amounts say. */
export function isTaxedAs({ totalMicros, payableMicros: payable, currency }: Invoice, tax: Tax): boolean {
  const netMicros = payableMicros(totalMicros, currency)
  return payable === undefined || payable - netMicros === (tax.kind === 'rate' ? taxMicros(netMicros, tax.percent, currency) : 0)
}

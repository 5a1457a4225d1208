import { createHash, type Hash } from 'node:crypto'
import { type BilledService, daysOfMonth, monthBefore, nextMonth, serviceKey } from '../../domain/billing/billing-lines.ts'
import type { InvoiceDocument } from '../../domain/billing/invoice-document.ts'
import { localMonth, startOfLocalDay } from '../../domain/calendar/local-time.ts'
import { groupBy } from '../../domain/group-by.ts'
import type { Charge } from '../../domain/media-buy/charge.ts'
import { mapSteps } from '../../platform/concurrency/steps.ts'
import { giveWay, inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { deliveryZone } from '../../store/ad-serving/delivery-sums.ts'
import { listCharges } from '../../store/billing/charges.ts'
import { closedMonths, type Invoice } from '../../store/billing/invoices.ts'
import { findOrderTerms } from '../../store/order/order-terms.ts'
import { month as monthField, required } from '../fields.ts'
import type { OperatorContext } from '../operator-context.ts'
import { billedOrders, chargeLine, serviceLine } from './billed-orders.ts'
import { billedTerms, creditedAt } from './billed-terms.ts'
import { accountsOf, payerOfBook } from './book-payer.ts'
import { adjustmentReasons, dueServices } from './due-services.ts'
import { buyerOf, issuerOf, makeInvoice, readerOf } from './make-invoice.ts'
import { taxedApart, type UnnumberedBook } from './taxed-apart.ts'

/** The field that names the month to close. */
export const MONTH = required(monthField('the month, YYYY-MM'))

/** An invoice that closing would write. */
export interface PreparedInvoice {
  readonly invoice: Invoice
  readonly lines: readonly BilledService[]
  /** Charges beside the services. */
  readonly charges: readonly Charge[]
  /** What it says. */
  readonly document: InvoiceDocument
  /** It holds what is taxed otherwise than the services of the month: corrections, at the tax of what they correct, and what is of earlier months, at theirs. */
  readonly isTaxedApart: boolean
}

interface Book extends UnnumberedBook {
  /** Of the invoice that closing would write. */
  readonly number: string
}

/** The books of a month that can be closed, in the order of their invoices. */
export interface MonthBooks {
  readonly month: string
  readonly zone: string
  readonly books: readonly Book[]
}

/**
 * What the invoices of a month would hold, without making them. Throws INVALID_STATE when it has not ended or is not the next one to close, SERVICE_UNAVAILABLE when an ad
 * server does not report.
 */
export async function booksOfMonth(context: OperatorContext, tenantId: string, month: string): Promise<MonthBooks> {
  const { store } = context
  const closed = (await closedMonths(store.read, tenantId)).map((each) => each.month)
  requireNext(month, closed, await publisherMonth(context, tenantId))
  const first = closed[0] ?? month
  const due = await dueServices(context, tenantId, { first, last: month })
  const zone = await deliveryZone(store.read, tenantId)
  const startOf = (each: string) => startOfLocalDay(daysOfMonth(each).first, zone).toISOString()
  const open = await listCharges(store.read, tenantId, { state: 'open', from: startOf(first), before: startOf(nextMonth(month)) })
  const charged = open.filter(({ accountId }) => accountId !== '')
  const [services, charges] = [groupBy(due, bookOf), groupBy(charged, bookOf)]
  const owed = [...new Set([...services.keys(), ...charges.keys()])].sort().map((key) => ({
    lines: (services.get(key) ?? []).toSorted(inOrder),
    charges: charges.get(key) ?? [],
  }))
  const books = (await taxedApart(context, tenantId, { month, zone }, owed)).map((book, index) => ({
    ...book,
    number: `${month}-${String(index + 1).padStart(4, '0')}`,
  }))
  return { month, zone, books }
}

/** The invoices that closing a month would write now, numbered in their order. Throws as {@link booksOfMonth} does. */
export async function prepareMonth(
  context: OperatorContext,
  tenantId: string,
  month: string,
): Promise<readonly PreparedInvoice[]> {
  return invoicesOf(context, tenantId, await booksOfMonth(context, tenantId, month))
}

/** Names what books hold and what their sums and texts follow from: it differs whenever a service, a charge, a party, a term of an order or a detail of the publisher does. */
export async function digestOfBooks(context: OperatorContext, tenantId: string, { books }: MonthBooks): Promise<string> {
  const { store } = context
  const { invoicing, seller } = await issuerOf(context, tenantId)
  const billed = books.flatMap(({ lines, charges }) => [...lines, ...charges])
  const accounts = await accountsOf(context, tenantId, billed)
  const orderIds = billed.map((each) => ('orderId' in each ? each.orderId : each.mediaBuyId))
  const terms = await findOrderTerms(store.read, tenantId, orderIds)
  const sum = createHash('sha256')
  for (const { number, lines, charges } of books) {
    await giveWay()
    sum.update(JSON.stringify([number, lines, charges.map(({ chargeId }) => chargeId)]))
  }
  sum.update(JSON.stringify([invoicing, seller, [...accounts].sort(byKey), [...terms].sort(byKey)]))
  return shortDigest(sum)
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

/** Names what invoices hold: it differs whenever one of their lines, parties or sums does, whatever day it is. */
export async function digestOf(invoices: readonly PreparedInvoice[]): Promise<string> {
  const sum = createHash('sha256')
  for (const {
    invoice: { createdAt: _at, dueOn: _due, ...invoice },
    lines,
    charges,
    document,
  } of invoices) {
    await giveWay()
    const { issuedOn: _issued, dueOn: _on, ...said } = document
    sum.update(JSON.stringify({ invoice, lines, charges: charges.map(({ chargeId }) => chargeId), said }))
  }
  return shortDigest(sum)
}

function shortDigest(sum: Hash): string {
  return sum.digest('hex').slice(0, 16)
}

/** The month that it is for a publisher, in its time zone. */
export async function publisherMonth({ store, clock }: OperatorContext, tenantId: string): Promise<string> {
  return localMonth(clock(), await deliveryZone(store.read, tenantId))
}

/** The month that is closed next, and whether it has ended: the one after the last that is closed; of a publisher without any, the last that has ended. */
export function nextToClose(closed: readonly string[], thisMonth: string): { readonly month: string; readonly ended: boolean } {
  const last = closed.at(-1)
  const month = last === undefined ? monthBefore(thisMonth) : nextMonth(last)
  return { month, ended: month < thisMonth }
}

/** Throws INVALID_STATE for a month that is closed. */
export async function requireOpen({ store }: OperatorContext, tenantId: string, month: string): Promise<void> {
  requireNotClosed(
    month,
    (await closedMonths(store.read, tenantId)).map((each) => each.month),
  )
}

function requireNotClosed(month: string, closed: readonly string[]): void {
  if (closed.includes(month)) throw new AdcpError('INVALID_STATE', `${month} is closed already`, { field: 'month' })
}

function requireNext(month: string, closed: readonly string[], thisMonth: string): void {
  const last = closed.at(-1)
  requireNotClosed(month, closed)
  if (month >= thisMonth)
    throw new AdcpError('INVALID_STATE', `${month} has not ended yet in the time zone of the publisher`, { field: 'month' })
  if (last !== undefined && month !== nextMonth(last))
    throw new AdcpError('INVALID_STATE', `months are closed one after the other: close ${nextMonth(last)} first`, {
      field: 'month',
    })
}

/** The invoices of books; some of a month are made in the time that these take. */
export async function invoicesOf(
  context: OperatorContext,
  tenantId: string,
  { month, zone, books }: MonthBooks,
): Promise<PreparedInvoice[]> {
  const due = books.flatMap(({ lines }) => lines)
  const charged = books.flatMap(({ charges }) => charges)
  const issuer = await issuerOf(context, tenantId)
  const ofOrders = charged.map(({ orderId: mediaBuyId, productId }) => ({ mediaBuyId, productId }))
  const orders = await billedOrders(context, tenantId, [...due, ...ofOrders])
  const reasons = await adjustmentReasons(context, tenantId, due)
  const corrected = due.filter(({ serviceMonth }) => serviceMonth !== month)
  const billedAt = await billedTerms(context.store.read, tenantId, corrected)
  const credited = await creditedAt(context.store.read, tenantId, charged)
  const accounts = await accountsOf(context, tenantId, [...due, ...charged])
  const createdAt = context.clock().toISOString()
  const invoices: PreparedInvoice[] = []
  for (const { number, lines, charges: beside, taxedAs } of books) {
    await giveWay()
    context.progress?.(`making invoice ${invoices.length + 1} of ${books.length}`)
    const { accountId, currency } = lines[0] ?? beside[0] ?? { accountId: '', currency: '' }
    const account =
      taxedAs?.account ?? (await payerOfBook(context, tenantId, { lines, charges: beside }, { accounts, ...orders }))
    const reader = readerOf(issuer, buyerOf(accountId, account))
    const delivered = mapSteps(lines, (line) => {
      const key = serviceKey(line)
      return serviceLine(line, month, orders, { reader, reason: reasons.get(key), billedAt: billedAt.get(key) })
    })
    const said = [
      ...(await inTurns(delivered)),
      ...beside.map((charge) => chargeLine(charge, localMonth(new Date(charge.incurredAt), zone), orders, { reader, credited })),
    ]
    await giveWay()
    const facts = { number, month, account, accountId, currency, createdAt, ...(taxedAs && { tax: taxedAs.tax }) }
    const made = makeInvoice(issuer, facts, said)
    invoices.push({ ...made, lines, charges: beside, isTaxedApart: taxedAs !== undefined })
  }
  return invoices
}

/** Names what is on one invoice: what an account owes in a currency. */
export function bookOf({ accountId, currency }: { readonly accountId: string; readonly currency: string }): string {
  return JSON.stringify([accountId, currency])
}

/** This month's delivery first, then corrections, the newest first. */
function inOrder(a: BilledService, b: BilledService): number {
  const keys = [b.serviceMonth, a.mediaBuyId, a.packageId] as const
  const others = [a.serviceMonth, b.mediaBuyId, b.packageId] as const
  const index = keys.findIndex((key, at) => key !== others[at])
  return index < 0 ? 0 : (keys[index] ?? '') < (others[index] ?? '') ? -1 : 1
}

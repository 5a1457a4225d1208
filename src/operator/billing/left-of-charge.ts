import { serviceKey } from '../../domain/billing/billing-lines.ts'
import { chargedOf } from '../../domain/billing/invoice-document.ts'
import type { Charge } from '../../domain/media-buy/charge.ts'
import { offeredCredits } from '../../domain/media-buy/make-good.ts'
import { NO_TERMS, type OrderTerms } from '../../domain/order/order-terms.ts'
import { chargesInForce, listCharges } from '../../store/billing/charges.ts'
import { billedOfOrder, invoicesOfOrder, listCreditNotes } from '../../store/billing/credit-notes.ts'
import type { Db } from '../../store/database.ts'
import { findTenantOrders } from '../../store/media-buy/order-list.ts'
import { findOrderTerms } from '../../store/order/order-terms.ts'
import { findOrderRow } from '../../store/order/orders.ts'
import type { OperatorContext } from '../operator-context.ts'
import { publisherDay } from '../publisher-day.ts'
import { readDelivery } from '../reports/read-delivery.ts'
import { percentsOf } from './billed-orders.ts'
import { billedTerms } from './billed-terms.ts'
import { type ReadInvoice, readInvoice } from './read-document.ts'

/** Before any delivery. */
const FIRST_DAY = '2000-01-01'

type PublisherContext = OperatorContext & { readonly tenantId: string }

/** An order, or one line of it. */
export interface Credited {
  readonly orderId: string
  /** Undefined or '': the whole order. */
  readonly lineId?: string | undefined
}

/** What is taken off what an order costs. */
export type OrderDeductions = Pick<OrderTerms, 'discountBasisPoints' | 'commissionBasisPoints'>

/** Micros by line; '': of the whole order. */
export type ByLine = ReadonlyMap<string, number>

/** A part of what an order costs, or of what is given back of it (less than zero). */
interface Entry {
  /** Whom it is billed or given to: of a buyer's order its account, which stays; empty: that. */
  readonly party: string
  readonly lineId: string
  readonly micros: number
  /** Of delivery that is on an invoice: its month of service and the invoice, as texts are sorted. */
  readonly billedIn?: string
}

/**
 * What can be given back of an order or a line of it, in micros: what invoices bill of it, its deliveries that are on no invoice, and its open charges, less credit notes, credits, and credits that are offered to its buyer. A
 * line has no more left than its whole order. `invoiceId`: one that bills something of it. Less than 0: more was given back than it costs now, because what it delivered was corrected. Throws SERVICE_UNAVAILABLE when the
 * ad server of the order does not report.
 */
export async function balanceOf(
  context: PublisherContext,
  { orderId, lineId = '', invoiceId }: Credited & { readonly invoiceId?: string },
): Promise<number> {
  const { store, tenantId } = context
  const terms = (await findOrderTerms(store.read, tenantId, [orderId])).get(orderId) ?? NO_TERMS
  const balances = await balancesOf(context, orderId, [terms], invoiceId)
  return leastLeft(lineId, balances[0] ?? new Map())
}

/** What {@link balanceOf} adds up for an order, by line, under each of the terms that are given. They apply to what was never billed: a correction of something billed takes the terms of its invoice. */
export async function balancesOf(
  context: PublisherContext,
  orderId: string,
  terms: readonly OrderDeductions[],
  invoiceId?: string,
): Promise<readonly ByLine[]> {
  return (await entriesOf(context, orderId, terms, invoiceId)).map(summed)
}

async function entriesOf(
  context: PublisherContext,
  orderId: string,
  terms: readonly OrderDeductions[],
  invoiceId?: string,
): Promise<readonly (readonly Entry[])[]> {
  const { store, tenantId } = context
  const last = await publisherDay(store.read, context)
  const by = ['package', 'month'] as const
  const [rows = []] = await readDelivery(context, { tenantId, order: orderId, sandbox: true }, [{ by, first: FIRST_DAY, last }])
  const billed = await billedOfOrder(store.read, tenantId, orderId)
  const services = new Map<string, { readonly packageId: string; readonly serviceMonth: string; readonly micros: number }>()
  const delivered = rows.map(({ values: [packageId = '', serviceMonth = ''], metrics: { spendMicros: micros } }) => ({
    ...{ packageId, serviceMonth, micros },
  }))
  for (const each of [...delivered, ...billed.map((row) => ({ ...row, micros: -row.micros }))]) {
    const key = serviceKey(each)
    services.set(key, { ...each, micros: each.micros + (services.get(key)?.micros ?? 0) })
  }
  const billedAt = await billedTerms(store.read, tenantId, billed)
  const open = await listCharges(store.read, tenantId, { orderIds: [orderId], state: 'open', withSandbox: true })
  const { payer, entries, partyOf } = await billedLess(context, orderId, invoiceId)
  const charged = open.filter(({ micros }) => micros > 0).map((each) => ({ ...each, party: partyOf(each) }))
  return terms.map((ofOrder) => {
    const net = [...services].map(([key, { packageId, micros }]) => {
      const known = billedAt.get(key)
      const party = entries.find(({ billedIn }) => known?.ofInvoice && billedIn?.endsWith(` ${known.ofInvoice}`))?.party ?? payer
      return { party, lineId: packageId, micros: chargedOf(micros, known ?? percentsOf(ofOrder)) }
    })
    return [...entries, ...charged, ...net]
  })
}

/** Whom something can be given back to, and the most that it can be. */
export interface PartyLeft {
  readonly party: string
  readonly micros: number
}

/**
 * The parties to which something of an order or a line of it can be given back, each with the most that it can be, in micros: what the party was billed or owes, less what was given back to it, and no more than
 * {@link balanceOf} has. Who was billed last for the delivery is the first. A buyer's order has one, without a name. Throws as {@link balanceOf} does.
 */
export async function leftByParty(context: PublisherContext, { orderId, lineId = '' }: Credited): Promise<readonly PartyLeft[]> {
  const { store, tenantId } = context
  const terms = (await findOrderTerms(store.read, tenantId, [orderId])).get(orderId) ?? NO_TERMS
  const [entries = []] = await entriesOf(context, orderId, [terms])
  const whole = leastLeft(lineId, summed(entries))
  const ranked = entries.toSorted(({ billedIn: a = '' }, { billedIn: b = '' }) => (a === b ? 0 : a > b ? -1 : 1))
  const ofLine = ranked.filter((entry) => lineId === '' || entry.lineId === '' || entry.lineId === lineId)
  return [...new Set(ofLine.map(({ party }) => party))].map((party) => {
    const own = leastLeft(lineId, summed(entries.filter((entry) => entry.party === party)))
    return { party, micros: Math.max(0, Math.min(whole, own)) }
  })
}

/** The most that can be given back of an order or a line of it, in micros: see {@link balanceOf}. */
export async function leftOfCharge(context: PublisherContext, of: Credited): Promise<number> {
  return Math.max(0, await balanceOf(context, of))
}

/**
 * The most that a credit note of `invoiceId` can give back to its account of an order or a line of it, in micros: what its invoices bill of it, less what it was given back, and no more than what the order costs now.
 * Throws as {@link balanceOf} does.
 */
export async function leftOnInvoices(
  context: PublisherContext,
  { orderId, lineId = '', invoiceId, accountId }: Credited & Readonly<Record<'invoiceId' | 'accountId', string>>,
): Promise<number> {
  const { entries, partyOf } = await billedLess(context, orderId, invoiceId)
  const own = entries.filter(({ party }) => party === partyOf({ accountId }))
  return Math.max(0, Math.min(leastLeft(lineId, summed(own)), await balanceOf(context, { orderId, lineId, invoiceId })))
}

/** What invoices bill of an order, less credit notes, credits that are on no invoice yet, and credits that are offered. */
async function billedLess(context: PublisherContext, orderId: string, invoiceId?: string) {
  const { store, tenantId } = context
  const payer = (await findOrderRow(store.read, tenantId, orderId))?.party
  const partyOf = ({ accountId }: Pick<Charge, 'accountId'>) => (payer === undefined ? '' : accountId)
  const charges = await listCharges(store.read, tenantId, { orderIds: [orderId], withSandbox: true })
  const credits = charges.filter(({ state, micros }) => state === 'open' && micros < 0)
  const documents = await documentsOf(store.read, tenantId, orderId, [...charges, { invoiceId }])
  const billed = documents.flatMap(({ invoice, document: { kind, lines } }) =>
    lines
      .filter((line) => line.orderId === orderId)
      .map(({ kind: what, lineId, serviceMonth, netMicros }): Entry => {
        const billedIn = (what === 'delivery' || what === 'adjustment') && `${serviceMonth} ${invoice.invoiceId}`
        return {
          ...{ party: partyOf(invoice), lineId, micros: kind === 'credit_note' ? -netMicros : netMicros },
          ...(billedIn && { billedIn }),
        }
      }),
  )
  const given = credits.map(({ lineId, micros, ...each }) => ({ party: partyOf(each), lineId, micros }))
  const offered = [...(await offeredOf(context, orderId))].map(([lineId, micros]) => ({ party: '', lineId, micros: -micros }))
  const entries: readonly Entry[] = [...billed, ...given, ...offered]
  return { payer: payer ?? '', partyOf, entries }
}

/** Credits of an order that count, by line, in micros: those in force and those that its buyer may still accept. */
export async function creditsOf(context: PublisherContext, orderId: string): Promise<ByLine> {
  const inForce = await chargesInForce(context.store.read, context.tenantId, orderId)
  const credits = inForce.filter(({ micros }) => micros < 0).map(({ lineId, micros }) => ({ lineId, micros: -micros }))
  return summed([...credits, ...[...(await offeredOf(context, orderId))].map(([lineId, micros]) => ({ lineId, micros }))])
}

export function leastLeft(lineId: string, left: ByLine): number {
  const ofOrder = [...left.values()].reduce((sum, micros) => sum + micros, 0)
  return lineId === '' ? ofOrder : Math.min(ofOrder, left.get(lineId) ?? 0)
}

function summed(amounts: readonly Pick<Entry, 'lineId' | 'micros'>[]): ByLine {
  const sums = new Map<string, number>()
  for (const { lineId, micros } of amounts) sums.set(lineId, (sums.get(lineId) ?? 0) + micros)
  return sums
}

/** Credits that the buyer of an order may still accept. Those of direct orders are given at once. */
async function offeredOf({ store, tenantId, clock }: PublisherContext, orderId: string): Promise<ByLine> {
  const [order] = await findTenantOrders(store.read, tenantId, [orderId])
  return order ? offeredCredits(order.buy, clock()) : new Map()
}

/** Invoices that bill something of an order, and their credit notes. */
async function documentsOf(
  db: Db,
  tenantId: string,
  orderId: string,
  charges: readonly Pick<Charge, 'invoiceId'>[],
): Promise<readonly ReadInvoice[]> {
  const billed = [...(await invoicesOfOrder(db, tenantId, orderId)), ...charges.flatMap(({ invoiceId }) => invoiceId ?? [])]
  const ids = new Set(billed)
  for (const id of billed) for (const { invoiceId } of await listCreditNotes(db, tenantId, id)) ids.add(invoiceId)
  const documents: ReadInvoice[] = []
  for (const id of ids) documents.push(await readInvoice(db, tenantId, id))
  return documents
}

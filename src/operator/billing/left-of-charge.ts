import { chargedOf, type InvoiceDocument } from '../../domain/billing/invoice-document.ts'
import type { Charge } from '../../domain/media-buy/charge.ts'
import { NO_TERMS } from '../../domain/order/order-terms.ts'
import { listCharges } from '../../store/billing/charges.ts'
import { invoicesOfOrder, listCreditNotes } from '../../store/billing/credit-notes.ts'
import type { Db } from '../../store/database.ts'
import { findOrderTerms } from '../../store/order/order-terms.ts'
import type { OperatorContext } from '../operator-context.ts'
import { readDelivery } from '../reports/read-delivery.ts'
import { publisherDay } from './invoice-state.ts'
import { readInvoice } from './read-document.ts'

/** Before any delivery. */
const FIRST_DAY = '2000-01-01'

/** An order, or one line of it. */
export interface Credited {
  readonly orderId: string
  /** Undefined or '': the whole order. */
  readonly lineId?: string | undefined
}

/**
 * The most that can be given back of an order or a line of it, in micros: what its deliveries and charges cost until now, less credits and credit notes. A line has no more left than its whole order. Throws
 * SERVICE_UNAVAILABLE when the ad server of the order does not report.
 */
export async function leftOfCharge(context: OperatorContext & { readonly tenantId: string }, of: Credited): Promise<number> {
  const { store, tenantId } = context
  const { orderId } = of
  const by = ['package'] as const
  const last = await publisherDay(store.read, context)
  const [rows = []] = await readDelivery(context, { tenantId, order: orderId }, [{ by, first: FIRST_DAY, last }])
  const { discountBasisPoints, commissionBasisPoints } =
    (await findOrderTerms(store.read, tenantId, [orderId])).get(orderId) ?? NO_TERMS
  const percents = { discountPercent: discountBasisPoints / 100, commissionPercent: commissionBasisPoints / 100 }
  const charges = inForce(await listCharges(store.read, tenantId, { orderIds: [orderId] }))
  const lines = [...new Set([...rows.map(({ values: [line = ''] }) => line), ...charges.map(({ lineId }) => lineId)])]
  const noted = await notedByLine(store.read, tenantId, orderId, charges)
  const leftOf = (line: string) =>
    rows.reduce((sum, { values, metrics }) => (values[0] === line ? sum + chargedOf(metrics.spendMicros, percents) : sum), 0) +
    charges.reduce((sum, { lineId, micros }) => (lineId === line ? sum + micros : sum), 0) -
    (noted.get(line) ?? 0)
  const ofOrder = lines.reduce((sum, line) => sum + leftOf(line), 0)
  const { lineId = '' } = of
  return Math.max(0, lineId === '' ? ofOrder : Math.min(ofOrder, leftOf(lineId)))
}

/** What is given back of a line already, in micros: amounts of credit notes, and credits that are billed or will be. */
export async function givenBackMicros(db: Db, tenantId: string, orderId: string, lineId: string): Promise<number> {
  const charges = inForce(await listCharges(db, tenantId, { orderIds: [orderId], withSandbox: true }))
  const credits = charges.reduce((sum, { lineId: of, micros }) => (of === lineId && micros < 0 ? sum - micros : sum), 0)
  return credits + ((await notedByLine(db, tenantId, orderId, charges)).get(lineId) ?? 0)
}

/** Charges that count: not those that were taken back, nor those of an invoice that was credited as a whole, which are charged anew under a longer id. */
function inForce(charges: readonly Charge[]): readonly Charge[] {
  const replaced = new Set(charges.map(({ chargeId }) => chargeId.slice(0, Math.max(0, chargeId.lastIndexOf(':')))))
  return charges.filter(({ chargeId, state }) => state !== 'taken_back' && !replaced.has(chargeId))
}

/**
 * The most that credit notes can still give back of what `invoiceId` and other invoices bill of an order or a line of it, in micros: less other credit notes, and credits that are billed or will be. A line has no more left than its
 * whole order.
 */
export async function leftOnInvoices(
  db: Db,
  tenantId: string,
  { orderId, lineId = '', invoiceId }: Credited & { readonly invoiceId: string },
): Promise<number> {
  const charges = await listCharges(db, tenantId, { orderIds: [orderId], withSandbox: true })
  const open = charges.filter(({ state, micros }) => state === 'open' && micros < 0)
  const documents = await documentsOf(db, tenantId, orderId, [...charges, { invoiceId }])
  const leftOf = (isOf: (line: string) => boolean) =>
    documents.reduce((sum, { kind, lines }) => {
      const own = lines.filter((line) => line.orderId === orderId && isOf(line.lineId))
      const net = own.reduce((total, line) => total + line.netMicros, 0)
      return kind === 'credit_note' ? sum - net : sum + net
    }, 0) + open.reduce((sum, charge) => (isOf(charge.lineId) ? sum + charge.micros : sum), 0)
  const ofOrder = leftOf(() => true)
  return Math.max(
    0,
    lineId === ''
      ? ofOrder
      : Math.min(
          ofOrder,
          leftOf((line) => line === lineId),
        ),
  )
}

/** Invoices that bill something of an order, and their credit notes. */
async function documentsOf(
  db: Db,
  tenantId: string,
  orderId: string,
  charges: readonly Pick<Charge, 'invoiceId'>[],
): Promise<readonly InvoiceDocument[]> {
  const billed = [...(await invoicesOfOrder(db, tenantId, orderId)), ...charges.flatMap(({ invoiceId }) => invoiceId ?? [])]
  const ids = new Set(billed)
  for (const id of billed) for (const { invoiceId } of await listCreditNotes(db, tenantId, id)) ids.add(invoiceId)
  const documents: InvoiceDocument[] = []
  for (const id of ids) documents.push((await readInvoice(db, tenantId, id)).document)
  return documents
}

/** Amounts of an order that credit notes give back, by line, in micros; '': of the whole order. */
async function notedByLine(
  db: Db,
  tenantId: string,
  orderId: string,
  charges: readonly Charge[],
): Promise<ReadonlyMap<string, number>> {
  const sums = new Map<string, number>()
  for (const { refersTo, lines } of await documentsOf(db, tenantId, orderId, charges))
    for (const { kind, orderId: of, lineId, grossMicros } of lines)
      if (refersTo !== undefined && kind === 'credit' && grossMicros > 0 && of === orderId)
        sums.set(lineId, (sums.get(lineId) ?? 0) + grossMicros)
  return sums
}

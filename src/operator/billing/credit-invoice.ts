import { type BilledService, serviceKey, takenBack } from '../../domain/billing/billing-lines.ts'
import { type CreditFacts, creditedPart, creditNote, leftOfLine } from '../../domain/billing/credit-note.ts'
import type { InvoiceDocument } from '../../domain/billing/invoice-document.ts'
import { countryOf } from '../../domain/billing/invoice-party.ts'
import { localeOf } from '../../domain/billing/invoice-words.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { reopenCharges } from '../../store/billing/charges.ts'
import { listCreditNotes } from '../../store/billing/credit-notes.ts'
import { listInvoiceServices } from '../../store/billing/invoice-services.ts'
import { type Invoice, insertInvoice } from '../../store/billing/invoices.ts'
import { type ActContext, defineAct } from '../act.ts'
import { amountText, NET, numberText, readAmount } from '../amount.ts'
import { count, oneOf, required } from '../fields.ts'
import { publisherDay } from '../publisher-day.ts'
import { billedReasonField } from '../reasons.ts'
import { ACCOUNTANTS } from '../roles.ts'
import { billedOrders, serviceLine } from './billed-orders.ts'
import { billedTerms } from './billed-terms.ts'
import { adjustmentReasons, pendingServices } from './due-services.ts'
import { givingBack, moneyText } from './give-back.ts'
import { invoiceShape, presentInvoice } from './invoice-shapes.ts'
import { balanceOf, leftOnInvoices } from './left-of-charge.ts'
import { signed } from './make-invoice.ts'
import { type ReadInvoice, readInvoice } from './read-document.ts'
import { INVOICE, invoiceLines } from './show-invoices.ts'

/** What a credit note gives back. */
export const CREDITED = ['all', 'corrections', 'amount'] as const

/** A credit note as it is written: its lines, and the services that it bills or takes back. */
interface Credit {
  readonly document: InvoiceDocument
  readonly services: readonly BilledService[]
}

/**
 * Writes a credit note of an invoice. `all`: what the invoice billed is due again, and is on the invoice of the next month that is closed. `corrections`: what was corrected since in what it bills. `amount`:
 * a part of one of its lines, for good. Throws REFERENCE_NOT_FOUND; INVALID_STATE for a credit note, for an invoice that is credited as a whole or, with `all`, in part, and where nothing is to be given back;
 * INVALID_REQUEST for more than is left; CONFLICT when invoices and credits are written all the time.
 */
export const creditInvoice = defineAct({
  name: 'billing.credit',
  route: 'POST /billing/invoices/{invoice}/credit',
  id: 'creditInvoice',
  roles: ACCOUNTANTS,
  summary:
    'Writes a credit note of an invoice: all of it, to bill it anew with the next month; what was corrected since; or an amount.',
  fields: {
    invoice: INVOICE,
    what: required(oneOf(CREDITED, 'all, corrections since, or an amount of one line')),
    reason: required(billedReasonField('why, as the credit note says it')),
    amount: numberText(`e.g. 150.00, ${NET}; with what=amount`),
    position: count('number of the line that the amount is of, from 1; default: the only one'),
  },
  answer: invoiceShape,
  command: {
    args: ['invoice', 'what'],
    confirm: ({ invoice, what }) => `A credit note (${what}) of invoice ${invoice} is final. Go on?`,
    text: (note) => invoiceLines([note]),
  },
  async run(context, { invoice: id, what, reason, amount, position }) {
    const { store, tenantId, clock, noteChanges } = context
    requireOfAmount(what, { amount, position })
    const decide = async () => {
      const pending = what === 'corrections' ? await pendingServices(context, tenantId) : []
      const read = await readInvoice(store.read, tenantId, id)
      requireCreditable(read)
      const notes = await Promise.all(
        (await listCreditNotes(store.read, tenantId, id)).map(({ invoiceId }) => readInvoice(store.read, tenantId, invoiceId)),
      )
      requireLeft(read, notes, what)
      const billed = () => listInvoiceServices(store.read, tenantId, read.invoice)
      const facts = { number: `${id}-C${notes.length + 1}`, reason, issuedOn: await publisherDay(store.read, context) }
      const credit =
        what === 'all'
          ? { document: creditNote(read.document, facts), services: (await billed()).map(takenBack) }
          : what === 'corrections'
            ? await creditedCorrections(context, read, { billed: await billed(), pending }, facts)
            : await creditedAmount(context, read, notes, { amount, position, facts })
      return { credit, invoice: noteOf(read.invoice, credit.document, clock()) }
    }
    return givingBack(context, decide, async (tx, { credit: { document, services }, invoice }) => {
      await insertInvoice(tx, tenantId, { invoice, lines: services, document })
      if (what === 'all') await reopenCharges(tx, tenantId, id, document.number)
      noteChanges({ credited: [null, `${document.number}: ${amountText(presentInvoice(invoice).payable, invoice.currency)}`] })
      return presentInvoice(invoice)
    })
  },
})

/** What an amount is of is said with `amount` alone: beside `all` or `corrections` more would be given back than the person wrote. */
function requireOfAmount(what: (typeof CREDITED)[number], given: Readonly<Record<'amount' | 'position', unknown>>): void {
  if (what === 'amount') return
  for (const field of ['amount', 'position'] as const)
    if (given[field] !== undefined)
      throw new AdcpError('INVALID_REQUEST', `${field} goes with what=amount; what=${what} gives back what it says, whole`, {
        field,
      })
}

function requireCreditable({ invoice: { invoiceId }, document }: ReadInvoice): void {
  if (document.kind === 'invoice') return
  throw new AdcpError('INVALID_STATE', `${invoiceId} is a credit note: credit notes are of invoices`, { field: 'invoice' })
}

/** Net of credit notes, micros. */
function creditedNet(notes: readonly ReadInvoice[]): number {
  return notes.reduce((sum, { document }) => sum + document.netMicros, 0)
}

function requireLeft({ invoice, document }: ReadInvoice, notes: readonly ReadInvoice[], what: (typeof CREDITED)[number]): void {
  const left = document.netMicros - creditedNet(notes)
  const { invoiceId } = invoice
  if (left <= 0) throw new AdcpError('INVALID_STATE', `invoice ${invoiceId} is credited already`, { field: 'invoice' })
  if (what === 'all' && notes.length > 0) {
    const message = `invoice ${invoiceId} is credited in part: credit what is left, ${moneyText(left, document.currency)}, by amount`
    throw new AdcpError('INVALID_STATE', message, { field: 'what' })
  }
}

/** Corrections of what the invoice bills, made since then; the credit note bills them. */
async function creditedCorrections(
  context: ActContext,
  { invoice: { invoiceId, accountId, currency, month }, document: billing }: ReadInvoice,
  { billed: lines, pending }: { readonly billed: readonly BilledService[]; readonly pending: readonly BilledService[] },
  facts: CreditFacts,
): Promise<Credit> {
  const { tenantId } = context
  const billed = new Set(lines.map(serviceKey))
  const services = pending.filter(
    (each) => each.accountId === accountId && each.currency === currency && billed.has(serviceKey(each)),
  )
  const [orders, reasons, billedAt] = await Promise.all([
    billedOrders(context, tenantId, services),
    adjustmentReasons(context, tenantId, services),
    billedTerms(context.store.read, tenantId, services),
  ])
  const { language, buyer } = billing
  const reader = { language, locale: localeOf(language, countryOf(buyer)) }
  const said = services.map((each) => {
    const key = serviceKey(each)
    const line = serviceLine(each, month, orders, { reader, reason: reasons.get(key), billedAt: billedAt.get(key) })
    return signed({ ...line, kind: 'adjustment' }, -1)
  })
  for (const { mediaBuyId: orderId, packageId: lineId } of services.filter(({ amountMicros }) => amountMicros < 0))
    if ((await balanceOf(context, { orderId, lineId })) < 0)
      throw new AdcpError(
        'INVALID_STATE',
        `what was corrected of ${lineId} was given back already by other credits; take them back, or charge the order what is too much`,
        { field: 'what' },
      )
  const document = creditNote(billing, facts, said)
  if (services.length > 0 && document.netMicros > 0) return { document, services }
  const message = `nothing of invoice ${invoiceId} is to be given back: billing adjustments shows what is pending`
  throw new AdcpError('INVALID_STATE', message, { field: 'what' })
}

async function creditedAmount(
  context: ActContext,
  { document, invoice: { invoiceId, accountId } }: ReadInvoice,
  notes: readonly ReadInvoice[],
  asked: { readonly amount: string | undefined; readonly position: number | undefined; readonly facts: CreditFacts },
): Promise<Credit> {
  const { amount, position, facts } = asked
  if (amount === undefined) throw new AdcpError('INVALID_REQUEST', 'what=amount needs the amount', { field: 'amount' })
  const { lines, currency } = document
  const at = position ?? 1
  const line = lines[at - 1]
  if (!line || (position === undefined && lines.length > 1))
    throw new AdcpError('INVALID_REQUEST', `position must be the number of a line of the invoice, 1 to ${lines.length}`, {
      field: 'position',
    })
  const micros = readAmount(amount, currency)
  // A make-good, or a credit beside the invoice, may have given it back already.
  const ofLine = await leftOnInvoices(context, { ...line, invoiceId, accountId })
  const noted = notes.map((note) => note.document)
  const left = Math.max(0, Math.min(leftOfLine(document, at, noted), document.netMicros - creditedNet(notes), ofLine))
  if (micros === 0 || micros > left)
    throw new AdcpError('INVALID_REQUEST', `amount must be more than 0 and at most what is left, ${moneyText(left, currency)}`, {
      field: 'amount',
    })
  return { document: creditNote(document, facts, [creditedPart(line, at, micros)]), services: [] }
}

/** A credit note in lists: the amounts that it gives back are negative. */
function noteOf({ month, accountId, account, currency, invoiceId }: Invoice, document: InvoiceDocument, now: Date): Invoice {
  const { number, exactMicros, payableMicros } = document
  return {
    ...{ invoiceId: number, month, accountId, account, currency, createdAt: now.toISOString(), refersTo: invoiceId },
    ...{ totalMicros: -exactMicros || 0, payableMicros: -payableMicros || 0 },
  }
}

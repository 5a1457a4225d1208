import type { Settlement } from '../../domain/billing/settlement.ts'
import { microsToAmount } from '../../domain/money.ts'
import { isParty } from '../../domain/order/order-terms.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { insertInvoicePayment, listInvoicePayments, takeBackInvoicePayment } from '../../store/billing/invoice-payments.ts'
import { findInvoices, type Invoice } from '../../store/billing/invoices.ts'
import type { Db } from '../../store/database.ts'
import { PAYMENT_FIELDS } from '../accounts/account-money.ts'
import { paymentDay } from '../accounts/payment-day.ts'
import { type ActContext, defineAct } from '../act.ts'
import { amountText, numberText, readAmount } from '../amount.ts'
import { required } from '../fields.ts'
import { publisherDay } from '../publisher-day.ts'
import { requireRefundsCovered } from '../require-refunds-covered.ts'
import { ACCOUNTANTS } from '../roles.ts'
import { number, type Of, object, string } from '../shape.ts'
import { TAKE_BACK } from '../taken-back.ts'
import { presentState, readStates, stateMembers, stateText } from './invoice-state.ts'
import { missingInvoice } from './read-document.ts'
import { INVOICE } from './show-invoices.ts'

// Several acts in one file: they list, change and remove the same thing.

const answer = object({ invoice_id: string, payment_id: string, amount: number, currency: string, date: string, ...stateMembers })

/**
 * Records a payment of an invoice, in its currency. Throws REFERENCE_NOT_FOUND; INVALID_STATE for a credit; INVALID_REQUEST for an amount of nothing or of more than is open, for a day to come, and for one before the invoice.
 */
export const recordPayment = defineAct({
  name: 'billing.record-payment',
  route: 'POST /billing/invoices/{invoice}/payments',
  id: 'recordInvoicePayment',
  roles: ACCOUNTANTS,
  summary: 'Records a payment of an invoice, in its currency: at most what is open of it.',
  fields: {
    invoice: INVOICE,
    amount: required(numberText('e.g. 1200.50, in the currency of the invoice')),
    ...PAYMENT_FIELDS,
  },
  answer,
  command: { args: ['invoice', 'amount'], text: paidLines },
  async run(context, { invoice: id, amount, date, reference }) {
    const { store, tenantId, clock, actor, noteChanges } = context
    const by = actor.credential
    return store.transaction(async (tx) => {
      const { invoice, settlement } = await settledInvoice(tx, context, id)
      const { currency } = invoice
      const paidOn = await paymentDay(tx, context, date)
      const issuedOn = await publisherDay(tx, context, new Date(invoice.createdAt))
      if (paidOn < issuedOn)
        throw new AdcpError('INVALID_REQUEST', beforeIssue(paidOn, { ...invoice, issuedOn }), { field: 'date' })
      const micros = readAmount(amount, currency)
      requirePayable(micros, currency, settlement)
      const payment = { invoiceId: id, day: paidOn, micros, reference: reference || undefined }
      const paymentId = await insertInvoicePayment(tx, tenantId, payment, { now: clock(), by })
      const after = await settledInvoice(tx, context, id)
      noteChanges({ payment: [null, paymentId], open: [openText(settlement, currency), openText(after.settlement, currency)] })
      return presentPaid(after, { paymentId, micros, day: paidOn })
    })
  },
})

/** Takes back a payment that was recorded wrongly; both stay. Throws REFERENCE_NOT_FOUND, INVALID_STATE when it was taken back before. */
export const takeBackPayment = defineAct({
  name: 'billing.take-back-payment',
  route: 'POST /billing/invoices/{invoice}/payments/{payment}/take-back',
  id: 'takeBackInvoicePayment',
  roles: ACCOUNTANTS,
  summary: 'Reverses a payment of an invoice that was recorded wrongly. It is kept with the reason, and no longer counts.',
  fields: {
    invoice: INVOICE,
    ...TAKE_BACK,
  },
  subject: 'invoice',
  answer,
  command: { args: ['invoice', 'payment'], text: paidLines },
  async run(context, { invoice: id, payment: paymentId, reason }) {
    const { store, tenantId, clock, actor, noteChanges } = context
    return store.transaction(async (tx) => {
      const { invoice, settlement } = await settledInvoice(tx, context, id)
      const found = (await listInvoicePayments(tx, tenantId, id)).find((payment) => payment.paymentId === paymentId)
      if (!found) throw new AdcpError('REFERENCE_NOT_FOUND', `invoice ${id} has no payment ${paymentId}`, { field: 'payment' })
      if (!(await takeBackInvoicePayment(tx, tenantId, { paymentId, reason }, { now: clock(), by: actor.credential })))
        throw new AdcpError('INVALID_STATE', `payment ${paymentId} was taken back before`, { field: 'payment' })
      await requireRefundsCovered(tx, context, invoice.accountId)
      const after = await settledInvoice(tx, context, id)
      const { currency } = invoice
      noteChanges({ open: [openText(settlement, currency), openText(after.settlement, currency)] })
      return presentPaid(after, found)
    })
  },
})

interface SettledInvoice {
  readonly invoice: Invoice
  readonly settlement: Settlement
}

async function settledInvoice(tx: Db, context: ActContext, id: string): Promise<SettledInvoice> {
  const invoice = (await findInvoices(tx, context.tenantId, [id])).get(id)
  const settlement = invoice && (await readStates(tx, context, invoice.accountId)).get(id)
  if (!settlement) throw missingInvoice(id)
  return { invoice, settlement }
}

function requirePayable(micros: number, currency: string, { state, openMicros }: Settlement): void {
  if (state === 'credit')
    throw new AdcpError('INVALID_STATE', 'a credit is not paid: it settles other invoices of its account', { field: 'invoice' })
  const open = openText({ openMicros }, currency)
  if (micros > openMicros)
    throw new AdcpError('INVALID_REQUEST', `amount must be at most what is open, ${open}`, { field: 'amount' })
  if (micros === 0) throw new AdcpError('INVALID_REQUEST', `amount must be more than 0; ${open} is open`, { field: 'amount' })
}

function presentPaid(
  { invoice, settlement }: SettledInvoice,
  { paymentId, micros, day: date }: { readonly paymentId: string; readonly micros: number; readonly day: string },
) {
  const { invoiceId: invoice_id, currency } = invoice
  const payment = { invoice_id, payment_id: paymentId, amount: microsToAmount(micros), currency, date }
  return { ...payment, ...presentState(settlement) }
}

function beforeIssue(
  paidOn: string,
  { invoiceId, accountId, issuedOn }: Pick<Invoice, 'invoiceId' | 'accountId'> & { readonly issuedOn: string },
): string {
  const advance = isParty(accountId)
    ? `its customer has no account to pay into: record what was paid in advance on ${issuedOn}, with its own day as the reference`
    : 'what was paid in advance is a payment into its account'
  return `date must be ${issuedOn}, the day of invoice ${invoiceId}, or later, not ${paidOn}; ${advance}`
}

function openText({ openMicros }: Pick<Settlement, 'openMicros'>, currency: string): string {
  return `${amountText(microsToAmount(openMicros), currency)} ${currency}`
}

/** Of the whole answer: the type of an act is inferred from it too. */
function paidLines(paid: Of<typeof answer>): readonly string[] {
  return [`${paid.invoice_id}: ${stateText(paid, paid.currency)} (${paid.payment_id})`]
}

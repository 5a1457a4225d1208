import { recordPayment, takeBackPayment } from '../../operator/billing/invoice-payments.ts'
import type { PaidInvoicePage } from '../../operator/billing/invoice-shapes.ts'
import { stateTitle } from '../../operator/billing/invoice-state.ts'
import { may } from '../do-act.ts'
import { day, money } from '../format.ts'
import { type Html, html } from '../html.ts'
import type { TenantCall } from '../route.ts'
import { csrfField, facts, field, onceField, statusBadge, table } from './parts.ts'
import { takeBackForm, takenBackCell } from './take-back.ts'

/** What the day is called on which an invoice was settled, by its state; else it was paid. */
const PAID_ON: Readonly<Record<string, string>> = { credited: 'Credited on', settled: 'Settled on' }

/** How an invoice stands, its payments, and the forms to record one and to take one back. Not on paper: the receiver gets the invoice alone. */
export function paymentPanel(call: TenantCall, invoice: PaidInvoicePage): Html {
  const { currency, state, open, settled, credited, paid_on: paidOn, overdue_days: days, due_on: due, payments } = invoice
  return html`<section class="panel not-printed"><h2>Payments</h2>
${facts([
  ['State', statusBadge(stateTitle(invoice))],
  ['Settled', state === 'credit' ? undefined : money(settled, currency)],
  ['Of it credited', credited === 0 ? undefined : money(credited, currency)],
  ['Open', state === 'credit' ? undefined : money(open, currency)],
  ['Due', due === null ? undefined : day(due)],
  ['Overdue for', days === 0 ? undefined : `${days} ${days === 1 ? 'day' : 'days'}`],
  [PAID_ON[stateTitle(invoice)] ?? 'Paid on', paidOn === null ? undefined : day(paidOn)],
])}
${payments.length > 0 && paymentTable(call, invoice)}
${open > 0 && may(call, recordPayment) && recordForm(call, invoice)}</section>`
}

function recordForm(call: TenantCall, { invoice_id: id, open, currency }: PaidInvoicePage): Html {
  const { form, base } = call
  const value = (name: string, otherwise = '') => form.get(name) ?? otherwise
  return html`<form class="filters" method="post" action="${base}/billing/${encodeURIComponent(id)}/payments">${csrfField(call)}${onceField(call)}
${field('amount', `Amount in ${currency}`, { value: value('amount', String(open)), of: recordPayment.fields.amount, required: true })}
${field('date', 'Day of the payment', { type: 'date', value: value('date'), hint: 'Empty: today' })}
${field('reference', 'Reference', { value: value('reference'), of: recordPayment.fields.reference })}
<button class="primary">Record the payment</button></form>`
}

function paymentTable(call: TenantCall, { invoice_id: id, currency, payments }: PaidInvoicePage): Html {
  const pathOf = (payment: string) =>
    `${call.base}/billing/${encodeURIComponent(id)}/payments/${encodeURIComponent(payment)}/take-back`
  const rows = payments.map((payment) => {
    const { payment_id, date, amount, reference, recorded_by: by, taken_back: back } = payment
    return [
      day(date),
      money(amount, currency),
      reference ?? '–',
      by,
      takenBackCell(back, may(call, takeBackPayment) && takeBackForm(call, payment_id, pathOf(payment_id))),
    ]
  })
  return table('Payments', ['Day', { title: 'Amount', numeric: true }, 'Reference', 'Recorded by', ''], rows)
}

import { recordPayment, takeBackPayment } from '../../operator/billing/invoice-payments.ts'
import type { PaidInvoicePage } from '../../operator/billing/invoice-shapes.ts'
import { may } from '../do-act.ts'
import { day, money } from '../format.ts'
import { type Html, html } from '../html.ts'
import type { TenantCall } from '../route.ts'
import { csrfField, facts, field, statusBadge, table } from './parts.ts'

/** How an invoice stands, its payments, and the forms to record one and to take one back. Not on paper: the receiver gets the invoice alone. */
export function paymentPanel(call: TenantCall, invoice: PaidInvoicePage): Html {
  const { currency, state, open, settled, paid_on: paidOn, overdue_days: days, due_on: due, payments } = invoice
  return html`<section class="panel not-printed"><h2>Payments</h2>
${facts([
  ['State', statusBadge(state)],
  ['Settled', state === 'credit' ? undefined : money(settled, currency)],
  ['Open', state === 'credit' ? undefined : money(open, currency)],
  ['Due', due === null ? undefined : day(due)],
  ['Overdue for', days === 0 ? undefined : `${days} ${days === 1 ? 'day' : 'days'}`],
  ['Paid on', paidOn === null ? undefined : day(paidOn)],
])}
${payments.length > 0 && paymentTable(call, invoice)}
${open > 0 && may(call, recordPayment) && recordForm(call, invoice)}</section>`
}

function recordForm(call: TenantCall, { invoice_id: id, open, currency }: PaidInvoicePage): Html {
  const { form, base } = call
  const value = (name: string, otherwise = '') => form.get(name) ?? otherwise
  return html`<form class="filters" method="post" action="${base}/billing/${encodeURIComponent(id)}/payments">${csrfField(call)}
${field('amount', `Amount in ${currency}`, { value: value('amount', String(open)), required: true })}
${field('date', 'Day of the payment', { type: 'date', value: value('date'), hint: 'Empty: today' })}
${field('reference', 'Reference', { value: value('reference') })}
<button class="primary">Record the payment</button></form>`
}

function paymentTable(call: TenantCall, { invoice_id: id, currency, payments }: PaidInvoicePage): Html {
  const rows = payments.map((payment) => {
    const { payment_id, date, amount, reference, recorded_by: by, taken_back: back } = payment
    return [
      day(date),
      money(amount, currency),
      reference ?? '–',
      by,
      back ? html`Taken back by ${back.by}: ${back.reason}` : may(call, takeBackPayment) && takeBackForm(call, id, payment_id),
    ]
  })
  return table('Payments', ['Day', { title: 'Amount', numeric: true }, 'Reference', 'Recorded by', ''], rows)
}

function takeBackForm(call: TenantCall, invoice: string, payment: string): Html {
  const path = `${call.base}/billing/${encodeURIComponent(invoice)}/payments/${encodeURIComponent(payment)}/take-back`
  return html`<form class="inline" method="post" action="${path}">${csrfField(call)}${field(`reason-${payment}`, 'Why it was wrong', { name: 'reason', required: true })}<button class="danger">Take back</button></form>`
}

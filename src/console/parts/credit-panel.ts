import { CREDITED, creditInvoice } from '../../operator/billing/credit-invoice.ts'
import type { PaidInvoicePage } from '../../operator/billing/invoice-shapes.ts'
import { may } from '../do-act.ts'
import { day, money } from '../format.ts'
import { type Html, html } from '../html.ts'
import type { TenantCall } from '../route.ts'
import { choice, csrfField, field, limits, table } from './parts.ts'

const TITLES = {
  all: 'All of it, to bill it anew with the next month',
  corrections: 'What was corrected since',
  amount: 'An amount of one line',
} as const satisfies Readonly<Record<(typeof CREDITED)[number], string>>

/** The credit notes of an invoice, and the form that writes one. Not on paper: the receiver gets the invoice alone. */
export function creditPanel(call: TenantCall, invoice: PaidInvoicePage): Html | false {
  const { base } = call
  const { kind, state, credit_notes: notes, refers_to: credits } = invoice
  if (credits !== null)
    return html`<p class="not-printed">Credits <a href="${base}/billing/${encodeURIComponent(credits)}">${credits}</a></p>`
  const isOpen = kind === 'invoice' && state !== 'credited' && may(call, creditInvoice)
  if (notes.length === 0 && !isOpen) return false
  const rows = notes.map(({ invoice_id: id, payable, currency, created_at: at }) => [
    html`<a href="${base}/billing/${encodeURIComponent(id)}">${id}</a>`,
    day(at),
    money(-payable, currency),
  ])
  return html`<section class="panel not-printed"><h2>Credit notes</h2>
${rows.length > 0 && table('Credit notes', ['Credit note', 'Day', { title: 'Given back', numeric: true }], rows)}
${isOpen && creditForm(call, invoice)}</section>`
}

function creditForm(call: TenantCall, { invoice_id: id, currency, lines }: PaidInvoicePage): Html {
  const { form, base } = call
  const value = (name: string) => form.get(name) ?? ''
  const whats = CREDITED.map((each) => [each, TITLES[each]] as const)
  const numbers = lines.map(
    ({ name, amount }, index) => [String(index + 1), `${index + 1}: ${name}, ${money(amount, currency)}`] as const,
  )
  return html`<p class="hint">An invoice never changes: a credit note gives back what it should not have billed.</p>
<form method="post" action="${base}/billing/${encodeURIComponent(id)}/credit">${csrfField(call)}
${choice('what', 'What it gives back', whats, value('what') || 'corrections')}
<div class="filters">${field('credited', `Amount in ${currency}, without tax`, { value: value('credited'), hint: 'For an amount of one line alone' })}
${choice('line', 'Line', numbers, value('line') || '1')}</div>
<div class="field"><label for="why">Reason, as the credit note says it</label><input id="why" name="reason" value="${value('reason')}"${limits(creditInvoice.fields.reason)}></div>
<button class="danger">Write the credit note</button></form>`
}

import { CREDITED, creditInvoice } from '../../operator/billing/credit-invoice.ts'
import type { PaidInvoicePage, ShownInvoice } from '../../operator/billing/invoice-shapes.ts'
import { may } from '../do-act.ts'
import { day, money } from '../format.ts'
import { type Html, html } from '../html.ts'
import type { TenantCall } from '../route.ts'
import { choice, csrfField, field, heading, limits, onceField, table } from './parts.ts'

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

function creditForm(call: TenantCall, { invoice_id: id, currency, lines, reads }: PaidInvoicePage): Html {
  const { form, base } = call
  const value = (name: string) => form.get(name) ?? ''
  const whats = CREDITED.map((each) => [each, TITLES[each]] as const)
  const numbers = lines.map(
    ({ name }, index) => [String(index + 1), `${index + 1}: ${name}, ${reads.rows[index]?.at(-1) ?? ''}`] as const,
  )
  return html`<p class="hint">An invoice never changes: a credit note gives back what it should not have billed.</p>
<form method="post" action="${base}/billing/${encodeURIComponent(id)}/credit">${csrfField(call)}
${choice('what', 'What it gives back', whats, value('what') || 'corrections')}
<div class="filters">${field('credited', `Amount in ${currency}, without tax`, { value: value('credited'), of: creditInvoice.fields.amount, hint: 'For an amount of one line alone' })}
${choice('line', 'Line', numbers, value('line') || '1')}</div>
<div class="field"><label for="why">Reason, as the credit note says it</label><input id="why" name="reason" value="${value('reason')}"${limits(creditInvoice.fields.reason)}></div>
<button class="danger">Write the credit note</button></form>`
}

/** Asks before a credit note is written, with what it would give back: it is final. */
export function confirmCredit(call: TenantCall, { payable, currency }: Pick<ShownInvoice, 'payable' | 'currency'>): Html {
  const { form, base, params } = call
  const path = `${base}/billing/${encodeURIComponent(params.invoice ?? '')}`
  const given = (name: string) => form.get(name) ?? ''
  const what = CREDITED.find((each) => each === given('what'))
  const part = what === 'amount' && html`<p>Amount: ${given('credited')}, of line ${given('line')}.</p>`
  const kept = ['what', 'credited', 'line', 'reason'].map(
    (name) => html`<input type="hidden" name="${name}" value="${given(name)}">`,
  )
  return html`${heading(`Credit ${params.invoice ?? ''}?`, undefined, 'A credit note is final: it has a number and stays.')}
<section class="panel narrow"><p>${what === undefined ? given('what') : TITLES[what]}.</p>${part}<p>Given back: ${money(-payable, currency)}.</p><p>Reason: ${given('reason')}</p>
<form method="post" action="${path}/credit">${csrfField(call)}${onceField(call)}${kept}<button class="danger" name="confirmed" value="yes">Write the credit note</button> <a class="button" href="${path}">Leave it</a></form></section>`
}

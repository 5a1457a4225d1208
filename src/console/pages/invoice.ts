import { creditInvoice } from '../../operator/billing/credit-invoice.ts'
import { INVOICE_FORMS, invoiceFile } from '../../operator/billing/invoice-file.ts'
import { recordPayment, takeBackPayment } from '../../operator/billing/invoice-payments.ts'
import type { InvoicePage } from '../../operator/billing/invoice-shapes.ts'
import { showInvoice } from '../../operator/billing/show-invoices.ts'
import type { AdcpError } from '../../protocol/errors.ts'
import { actRoute, doAct, doOnce, tryAct } from '../do-act.ts'
import { orAgain } from '../form-outcome.ts'
import { inputOf, tickedIn } from '../form-text.ts'
import { type Html, html } from '../html.ts'
import { confirmCredit, creditPanel } from '../parts/credit-panel.ts'
import { paymentPanel } from '../parts/invoice-payments.ts'
import { facts, heading, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'
import { reconciliationRoutes } from './reconciliation.ts'

/** One invoice, and its files. */
export const invoiceRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/billing/{invoice}', showInvoice, (call) => invoicePage(call)),
  actRoute('POST', '/billing/{invoice}/credit', creditInvoice, orAgain(answerCredit, invoicePage)),
  actRoute('POST', '/billing/{invoice}/payments', recordPayment, orAgain(answerPayment, invoicePage)),
  actRoute('POST', '/billing/{invoice}/payments/{payment}/take-back', takeBackPayment, orAgain(answerTakeBack, invoicePage)),
  actRoute('GET', '/billing/{invoice}/{format}', invoiceFile, invoiceAsFile),
  ...reconciliationRoutes,
]

async function invoicePage(call: TenantCall, refusal?: AdcpError): Promise<Answer> {
  const { params, base } = call
  const invoice = await doAct(call, showInvoice, { invoice: params.invoice })
  const { title, facts: said, from, to, totals, bank, notes } = invoice.reads
  const path = `${base}/billing/${encodeURIComponent(invoice.invoice_id)}`
  const buttons = html`<button type="button" data-print hidden>Print</button>${INVOICE_FORMS.map((form) => html`<a class="button" href="${path}/${form}">${form.toUpperCase()}</a>`)}<a class="button" href="${base}/billing/reconciliation/${encodeURIComponent(invoice.account)}/${invoice.month}">Against reports</a>`
  const pairs = (values: typeof said) => facts(values.map(({ name, value }) => [name, value]))
  const body = html`${heading(title, buttons)}
${refusal && html`<p class="notice bad" role="alert">${refusal.message}</p>`}
<div lang="${invoice.language}">
${facts([party(from), party(to)])}
${pairs(said)}
${lineTable(call, invoice)}
${pairs(totals)}
${bank.length > 0 && pairs(bank)}
${notes.map((note) => html`<p class="hint">${note}</p>`)}
</div>
${creditPanel(call, invoice)}
${paymentPanel(call, invoice)}`
  return page(title, body, { refusal })
}

async function answerPayment(call: TenantCall): Promise<Answer> {
  const { form } = call
  const given = (name: string) => form.get(name) || undefined
  const members = { amount: form.get('amount') ?? '', date: given('date'), reference: given('reference') }
  const isNew = await doOnce(call, recordPayment, { invoice: call.params.invoice, ...members })
  return done(call, isNew ? 'paid' : 'before')
}

async function answerCredit(call: TenantCall): Promise<Answer> {
  const { form, params } = call
  const what = form.get('what') ?? ''
  const { position } = creditInvoice.fields
  const part = what === 'amount' && { amount: form.get('credited') ?? '', position: inputOf(form, 'line', position) }
  const members = { invoice: params.invoice, what, reason: form.get('reason') ?? '', ...part }
  if (!tickedIn(form, 'confirmed')) {
    const note = await tryAct(call, creditInvoice, members)
    return page(`Credit ${params.invoice ?? ''}?`, confirmCredit(call, note))
  }
  const isNew = await doOnce(call, creditInvoice, members)
  return done(call, isNew ? 'credited' : 'before')
}

async function answerTakeBack(call: TenantCall): Promise<Answer> {
  const { params, form } = call
  const members = { invoice: params.invoice, payment: params.payment, reason: form.get('reason') ?? '' }
  await doAct(call, takeBackPayment, members)
  return done(call, 'takenback')
}

/** Back to the invoice. */
function done({ base, params }: TenantCall, what: 'paid' | 'before' | 'credited' | 'takenback'): Answer {
  return redirect(`${base}/billing/${encodeURIComponent(params.invoice ?? '')}`, what)
}

function party([label = '', ...lines]: readonly string[]): readonly [string, Html] {
  return [label, html`${lines.map((line) => html`${line}<br>`)}`]
}

/** The lines as they read; the name of each leads to its order. */
function lineTable({ base }: TenantCall, { lines, reads }: InvoicePage): Html {
  const rows = reads.rows.map(([what = '', ...others], index) => {
    const [name, ...more] = what.split('\n')
    const order = lines[index]?.media_buy_id ?? ''
    return [
      html`<a href="${base}/orders/${encodeURIComponent(order)}">${name}</a>${more.map((text) => html`<small>${text}</small>`)}`,
      ...others,
    ]
  })
  const columns = reads.columns.map((title, index) => ({ title, numeric: index >= reads.first_number }))
  return table('Lines', columns, rows)
}

async function invoiceAsFile(call: TenantCall): Promise<Answer> {
  const { invoice, format } = call.params
  const { name, media_type: type, content_base64: content } = await doAct(call, invoiceFile, { invoice, format })
  return { kind: 'file', type, name, body: Buffer.from(content, 'base64') }
}

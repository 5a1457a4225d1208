import { monthBefore, nextMonth } from '../../domain/billing/billing-lines.ts'
import { nameAccounts } from '../../operator/accounts/name-accounts.ts'
import { closeMonth } from '../../operator/billing/close-month.ts'
import type { ShownInvoice } from '../../operator/billing/invoice-shapes.ts'
import { publisherMonth } from '../../operator/billing/prepare-month.ts'
import { previewMonth } from '../../operator/billing/preview-month.ts'
import { listInvoices } from '../../operator/billing/show-invoices.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { actRoute, doAct } from '../do-act.ts'
import { moment, money } from '../format.ts'
import { type Html, html } from '../html.ts'
import { closePreview } from '../parts/close-preview.ts'
import { empty, field, heading, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'

/** Month close and its invoices. */
export const billingRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/billing', listInvoices, (call) => billingPage(call)),
  actRoute('GET', '/billing/close', closeMonth, previewPage),
  actRoute('POST', '/billing/close', closeMonth, answerClose),
]

async function billingPage(call: TenantCall, refusal?: AdcpError): Promise<Answer> {
  const { operator, tenantId, role } = call
  const { months, items: invoices } = await doAct(call, listInvoices, {})
  const [last] = months
  const thisMonth = await publisherMonth(operator, tenantId)
  const due = last === undefined ? monthBefore(thisMonth) : nextMonth(last.month)
  const form =
    closeMonth.roles.includes(role) &&
    html`<section class="panel"><h2>Close a month</h2>
<p>One invoice for each account and currency, with what was delivered. A closed month never changes: what ad servers correct later is on the next invoice.</p>
${due < thisMonth ? closeForm(call, due) : html`<p class="hint">${due} can be closed once it has ended.</p>`}</section>`
  const names = await nameAccounts(
    operator,
    tenantId,
    invoices.map(({ account }) => account),
  )
  const closed = months.map(({ month, closed_at, closed_by }) => {
    const own = invoices.filter((invoice) => invoice.month === month)
    return html`<section class="panel"><h2>${month}</h2><p class="hint">Closed ${moment(closed_at)} by ${closed_by}</p>
${own.length === 0 ? empty('Nothing was delivered in this month') : invoiceTable(call, own, names)}</section>`
  })
  const body = html`${heading('Billing', undefined, "Months in the publisher's time zone.")}
${refusal && html`<p class="notice bad" role="alert">${refusal.message}</p>`}
${form}
<p><a class="button" href="${call.base}/billing/details">What invoices say of you</a></p>
${closed.length === 0 ? empty('No month is closed yet') : closed}`
  return page('Billing', body, { status: refusal ? (refusal.http?.status ?? 400) : 200 })
}

function closeForm(call: TenantCall, due: string): Html {
  return html`<form class="filters" method="get" action="${call.base}/billing/close">${field('month', 'Month', { type: 'month', value: due, required: true })}<button class="primary">Show what closing means</button></form>`
}

function invoiceTable({ base }: TenantCall, invoices: readonly ShownInvoice[], names: ReadonlyMap<string, string>): Html {
  const rows = invoices.map((invoice) => [
    html`<a href="${base}/billing/${encodeURIComponent(invoice.invoice_id)}">${invoice.invoice_id}</a>`,
    html`${names.get(invoice.account) ?? invoice.account}<small class="id" title="${invoice.account}">${invoice.account}</small>`,
    money(invoice.payable, invoice.currency),
    `${invoice.total} ${invoice.currency}`,
    html`<a href="${base}/billing/${encodeURIComponent(invoice.invoice_id)}/pdf">PDF</a> <a href="${base}/billing/${encodeURIComponent(invoice.invoice_id)}/csv">CSV</a>`,
  ])
  return table(
    'Invoices',
    ['Invoice', 'Account', { title: 'Payable', numeric: true }, { title: 'Exact sum', numeric: true }, 'Files'],
    rows,
  )
}

/** What closing would come to; nothing is stored before it is confirmed. */
async function previewPage(call: TenantCall): Promise<Answer> {
  const month = call.query.get('month')
  // Nothing was asked for yet: the form is on that page.
  if (month === null) return billingPage(call)
  try {
    const preview = await doAct(call, previewMonth, { month })
    return page(`Close ${month}?`, closePreview(call, preview))
  } catch (error) {
    if (!(error instanceof AdcpError)) throw error
    return billingPage(call, error)
  }
}

async function answerClose(call: TenantCall): Promise<Answer> {
  const { form, base } = call
  try {
    await doAct(call, closeMonth, { month: form.get('month') ?? '', digest: form.get('digest') || undefined })
    return redirect(`${base}/billing`, 'closed')
  } catch (error) {
    if (!(error instanceof AdcpError)) throw error
    return billingPage(call, error)
  }
}

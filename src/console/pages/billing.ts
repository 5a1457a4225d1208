import { monthBefore, nextMonth } from '../../domain/billing/billing-lines.ts'
import { nameAccounts } from '../../operator/accounts/name-accounts.ts'
import { closeMonth } from '../../operator/billing/close-month.ts'
import { publisherMonth } from '../../operator/billing/prepare-month.ts'
import { previewMonth } from '../../operator/billing/preview-month.ts'
import {
  type InvoicePage,
  invoiceCsv,
  listInvoices,
  type ShownInvoice,
  showInvoice,
} from '../../operator/billing/show-invoices.ts'
import { nameProducts } from '../../operator/orders/name-order-parts.ts'
import { type NamedOrderFacts, nameOrders } from '../../operator/orders/name-orders.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { actRoute, doAct } from '../do-act.ts'
import { count, moment, money, words } from '../format.ts'
import { type Html, html } from '../html.ts'
import { closePreview } from '../parts/close-preview.ts'
import { empty, facts, field, heading, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'

/** Month close and its invoices. */
export const billingRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/billing', listInvoices, (call) => billingPage(call)),
  actRoute('GET', '/billing/close', closeMonth, previewPage),
  actRoute('POST', '/billing/close', closeMonth, answerClose),
  actRoute('GET', '/billing/{invoice}', showInvoice, invoicePage),
  actRoute('GET', '/billing/{invoice}/lines.csv', showInvoice, invoiceFile),
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
    html`<a href="${base}/billing/${encodeURIComponent(invoice.invoice_id)}/lines.csv">CSV</a>`,
  ])
  return table(
    'Invoices',
    ['Invoice', 'Account', { title: 'Payable', numeric: true }, { title: 'Exact sum', numeric: true }, 'Lines'],
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

async function invoicePage(call: TenantCall): Promise<Answer> {
  const { operator, tenantId, params, base } = call
  const invoice = await doAct(call, showInvoice, { invoice: params.invoice })
  const { account_details: account, currency } = invoice
  const products = await nameProducts(
    operator,
    tenantId,
    invoice.lines.map(({ product_id: id }) => id),
  )
  const orders = await nameOrders(
    operator,
    tenantId,
    invoice.lines.map(({ media_buy_id: id }) => id),
  )
  const csv = html`<button type="button" data-print hidden>Print</button><a class="button" href="${base}/billing/${encodeURIComponent(invoice.invoice_id)}/lines.csv">Lines as CSV</a>`
  const body = html`${heading(`Invoice ${invoice.invoice_id}`, csv, `${invoice.publisher.name}, ${invoice.publisher.domain}`)}
${facts([
  ['Month', invoice.month],
  [
    'Billed for',
    html`${textOf(account.name) ?? invoice.account}${textOf(account.name) !== undefined && html`<small>${invoice.account}</small>`}`,
  ],
  ['Billed to', partyOf(account)],
  ['Payment terms', textOf(account.payment_terms)],
  ['Made', moment(invoice.created_at)],
])}
${lineTable(invoice, { base, products, orders })}
${facts([
  ['Exact sum', invoice.rounding === 0 ? undefined : `${grouped(invoice.total)} ${currency}`],
  ['Rounding', invoice.rounding === 0 ? undefined : `${invoice.rounding} ${currency}`],
  ['Payable', html`<strong>${money(invoice.payable, currency)}</strong>`],
])}`
  return page(`Invoice ${invoice.invoice_id}`, body)
}

function lineTable(
  { lines, currency }: InvoicePage,
  {
    base,
    products,
    orders,
  }: {
    readonly base: string
    readonly products: ReadonlyMap<string, string>
    readonly orders: Awaited<ReturnType<typeof nameOrders>>
  },
): Html {
  const rows = lines.map((line) => [
    words(line.kind),
    html`<span class="whole">${line.service_month}</span>`,
    html`<a href="${base}/orders/${encodeURIComponent(line.media_buy_id)}">${nameOf(orders.get(line.media_buy_id)) ?? line.media_buy_id}</a><small class="id">${line.package_id}</small>`,
    html`${products.get(line.product_id) ?? line.product_id}<small>${line.product_id}</small>`,
    count(line.impressions),
    grouped(line.amount),
  ])
  const numbers = ['Impressions', `Amount in ${currency}`].map((title) => ({ title, numeric: true }))
  return table('Lines', ['Kind', 'Month', 'Order', 'Product', ...numbers], rows)
}

/** What people call an order; its package, which is beside it, begins with its id. */
function nameOf(order: NamedOrderFacts | undefined): string | undefined {
  const names = [order?.advertiser, order?.name].filter((text) => text !== undefined)
  return names.length === 0 ? undefined : names.join(': ')
}

async function invoiceFile(call: TenantCall): Promise<Answer> {
  const invoice = await doAct(call, showInvoice, { invoice: call.params.invoice })
  return { kind: 'file', type: 'text/csv; charset=utf-8', name: `invoice-${invoice.invoice_id}.csv`, body: invoiceCsv(invoice) }
}

/** Who pays, by its role and its domain where the account names it. */
function partyOf(account: Readonly<Record<string, unknown>>): string | undefined {
  const role = textOf(account.billing)
  const domain = role === 'operator' ? textOf(account.operator) : undefined
  return domain === undefined ? role : `${domain} (${role})`
}

/** An amount with every digit that it has: lines add up exactly. */
function grouped(amount: number): string {
  return amount.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 6 })
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

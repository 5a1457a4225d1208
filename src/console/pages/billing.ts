import { SETTLEMENT_STATES } from '../../domain/billing/settlement.ts'
import { groupBy } from '../../domain/group-by.ts'
import { isParty } from '../../domain/order/order-terms.ts'
import { closeMonth } from '../../operator/billing/close-month.ts'
import type { ListedInvoice } from '../../operator/billing/invoice-shapes.ts'
import { STATE_TITLES, stateTitle } from '../../operator/billing/invoice-state.ts'
import { namePayers } from '../../operator/billing/name-billed.ts'
import { listAdjustments } from '../../operator/billing/pending-adjustments.ts'
import { previewLines } from '../../operator/billing/preview-lines.ts'
import { previewMonth } from '../../operator/billing/preview-month.ts'
import { recordRefund } from '../../operator/billing/refunds.ts'
import { listInvoices } from '../../operator/billing/show-invoices.ts'
import type { AdcpError } from '../../protocol/errors.ts'
import { actRoute, doAct, may } from '../do-act.ts'
import { orAgain } from '../form-outcome.ts'
import { day, moment, money } from '../format.ts'
import { type Html, html } from '../html.ts'
import { adjustmentTable, closePreview, previewLineTable } from '../parts/close-preview.ts'
import { choice, empty, field, figure, heading, pager, statusBadge, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'

/** Month close and its invoices. */
export const billingRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/billing/adjustments', listAdjustments, adjustmentsPage),
  actRoute('GET', '/billing', listInvoices, (call) => billingPage(call)),
  actRoute('GET', '/billing/close', previewMonth, orAgain(previewPage, billingPage)),
  actRoute('GET', '/billing/close/lines', previewLines, previewLinesPage),
  actRoute('POST', '/billing/close', closeMonth, orAgain(answerClose, billingPage)),
]

async function billingPage(call: TenantCall, refusal?: AdcpError): Promise<Answer> {
  const { operator, tenantId } = call
  const state = call.query.get('state') || undefined
  const cursor = call.query.get('cursor') || undefined
  const account = call.query.get('account') || undefined
  const {
    months,
    items: invoices,
    open,
    credits,
    next_to_close: due,
    next_cursor: next,
  } = await doAct(call, listInvoices, { state, account, cursor })
  const form =
    may(call, closeMonth) &&
    html`<section class="panel"><h2>Close a month</h2>
<p>One invoice for each account and currency, with what was delivered. A closed month never changes: what ad servers correct later is on the next invoice.</p>
${due.ended ? closeForm(call, due.month) : html`<p class="hint">${due.month} can be closed once it has ended.</p>`}</section>`
  const names = await namePayers(
    operator,
    tenantId,
    invoices.map(({ account }) => account),
  )
  const ofMonths = groupBy(invoices, ({ month }) => month)
  const closed = months.flatMap(({ month, closed_at, closed_by }) => {
    const own = ofMonths.get(month) ?? []
    if (own.length === 0 && (state !== undefined || account !== undefined || cursor !== undefined || next !== null)) return []
    return html`<section class="panel"><h2>${month}</h2><p class="hint">Closed ${moment(closed_at)} by ${closed_by}</p>
${own.length === 0 ? empty('Nothing was delivered in this month') : invoiceTable(call, own, names)}</section>`
  })
  const body = html`${heading('Billing', undefined, "Months in the publisher's time zone.")}
${refusal && html`<p class="notice bad" role="alert">${refusal.message}</p>`}
${form}
<p><a class="button" href="${call.base}/billing/details">What invoices say of you</a> <a class="button" href="${call.base}/billing/charges?state=open">Charges and credits</a> <a class="button" href="${call.base}/billing/adjustments">Pending corrections</a> <a class="button" href="${call.base}/billing/ageing">Open items</a> <a class="button" href="${call.base}/billing/ageing?all=true">Customers</a> <a class="button" href="${call.base}/billing/accruals">Accruals</a> <a class="button" href="${call.base}/billing/refunds">Refunds</a> <a class="button" href="${call.base}/billing/journal">Journal</a></p>
${months.length > 0 && stateFilter(call, state ?? '', account ?? '')}
${open.length > 0 && html`<div class="figures">${open.map((sum) => figure(`Open in ${sum.currency}${state || account ? ', of these invoices' : ''}`, money(sum.open, sum.currency), `${money(sum.overdue, sum.currency)} overdue`))}</div>`}
${credits.length > 0 && creditsPanel(call, credits)}
${closed.length > 0 ? closed : empty(months.length === 0 ? 'No month is closed yet' : account === undefined ? 'No invoice is in this state' : 'This customer has no such invoice')}${pager(`${call.base}/billing`, call.query, next)}`
  return page('Billing', body, { refusal })
}

type Credits = Awaited<ReturnType<typeof listInvoices.run>>['credits']

/** Money of customers that no invoice asks for. */
function creditsPanel(call: TenantCall, credits: Credits): Html {
  const { base } = call
  const refund = (account: string, currency: string) =>
    `${base}/billing/refunds?${new URLSearchParams({ account, currency }).toString()}`
  const rows = credits.flatMap(({ currency, accounts }) =>
    accounts.map(({ account, account_name: name, credit }) => [
      isParty(account)
        ? (name ?? account)
        : html`<a href="${base}/accounts/${encodeURIComponent(account)}">${name ?? account}</a>`,
      money(credit, currency),
      may(call, recordRefund) && html`<a href="${refund(account, currency)}">Pay back</a>`,
    ]),
  )
  const sums = credits.map(({ currency, credit }) => money(credit, currency)).join(', ')
  return html`<details class="panel"><summary>Credit of customers: ${sums}</summary><p class="hint">Paid or credited beyond what their invoices ask for. It settles their next invoices, unless it is paid back. What is open less this is what the journal has receivable.</p>${table('Credit of customers', ['Customer', { title: 'Credit', numeric: true }, ''], rows)}</details>`
}

function stateFilter({ base }: TenantCall, state: string, account: string): Html {
  const titles = SETTLEMENT_STATES.map((each) => [each, STATE_TITLES[each]] as const)
  return html`<form class="filters" method="get" action="${base}/billing">${choice('state', 'State', [['', 'every state'], ...titles], state)}${field('account', 'Customer', { value: account, of: listInvoices.fields.account })}<button>Show</button></form>`
}

function closeForm(call: TenantCall, due: string): Html {
  return html`<form class="filters" method="get" action="${call.base}/billing/close">${field('month', 'Month', { type: 'month', value: due, required: true })}<button class="primary">Show what closing means</button></form>`
}

function invoiceTable({ base }: TenantCall, invoices: readonly ListedInvoice[], names: ReadonlyMap<string, string>): Html {
  const rows = invoices.map((invoice) => [
    html`<a href="${base}/billing/${encodeURIComponent(invoice.invoice_id)}">${invoice.invoice_id}</a>`,
    html`${names.get(invoice.account) ?? invoice.account}<small class="id" title="${invoice.account}">${invoice.account}</small>`,
    money(invoice.payable, invoice.currency),
    `${invoice.total} ${invoice.currency}`,
    day(invoice.due_on),
    html`${statusBadge(stateTitle(invoice))}${invoice.overdue_days > 0 && html`<small>${days(invoice.overdue_days)}</small>`}`,
    money(invoice.open, invoice.currency),
    html`<a href="${base}/billing/${encodeURIComponent(invoice.invoice_id)}/pdf">PDF</a> <a href="${base}/billing/${encodeURIComponent(invoice.invoice_id)}/csv">CSV</a>`,
  ])
  return table(
    'Invoices',
    [
      ...['Invoice', 'Account', { title: 'Payable with tax', numeric: true }, { title: 'Exact sum without tax', numeric: true }],
      ...['Due', 'State', { title: 'Open', numeric: true }, 'Files'],
    ],
    rows,
  )
}

/** A number of days in words. */
function days(number: number): string {
  return `${number} ${number === 1 ? 'day' : 'days'}`
}

/** Corrections of closed months that are on no invoice. */
async function adjustmentsPage(call: TenantCall): Promise<Answer> {
  const { items } = await doAct(call, listAdjustments, {})
  const lead =
    'What ad servers corrected since a month was closed, and what was credited to be billed anew. It is on the next invoice, or on a credit note that you write on the page of the invoice. Amounts are before discount and commission.'
  const shown = items.length === 0 ? empty('Nothing is to be corrected') : adjustmentTable(call.base, items)
  return page('Pending corrections', html`${heading('Pending corrections', undefined, lead)}${shown}`)
}

/** What closing would come to; nothing is stored before it is confirmed. */
async function previewPage(call: TenantCall): Promise<Answer> {
  const month = call.query.get('month')
  // Nothing was asked for yet: the form is on that page.
  if (month === null) return billingPage(call)
  const preview = await doAct(call, previewMonth, { month })
  return page(`Close ${month}?`, closePreview(call, preview))
}

/** The lines of an invoice that closing would write, a page at a time. */
async function previewLinesPage(call: TenantCall): Promise<Answer> {
  const { query, base } = call
  const [month, invoice] = [query.get('month'), query.get('invoice') || undefined]
  if (month === null) return billingPage(call)
  const { items, next_cursor: next } = await doAct(call, previewLines, {
    ...{ month, invoice, cursor: query.get('cursor') || undefined, limit: LINES_OF_PAGE },
  })
  const back = html`<a class="button" href="${base}/billing/close?month=${encodeURIComponent(month)}">All of ${month}</a>`
  const title = invoice === undefined ? `Lines of ${month}` : `Lines of ${invoice}`
  const lead = 'What closing would write now. Nothing is stored yet.'
  const shown = items.length === 0 ? empty('There are no lines') : previewLineTable(base, items)
  return page(title, html`${heading(title, back, lead)}${shown}${pager(`${base}/billing/close/lines`, query, next)}`)
}

/** Lines of a page of the console. */
const LINES_OF_PAGE = 100

async function answerClose(call: TenantCall): Promise<Answer> {
  const { form, base } = call
  await doAct(call, closeMonth, { month: form.get('month') ?? '', digest: form.get('digest') ?? '' })
  return redirect(`${base}/billing`, 'closed')
}

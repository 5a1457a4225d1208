import { clearingText, reconcileReports, sharedDaysText } from '../../operator/billing/reconcile-reports.ts'
import { RECONCILIATION_FORMS, reconciliationFile } from '../../operator/billing/reconciliation-file.ts'
import type { ReconciliationEntry } from '../../operator/billing/reconciliation-shape.ts'
import { actRoute, doAct } from '../do-act.ts'
import { count, day, money, words } from '../format.ts'
import { html } from '../html.ts'
import { empty, heading, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, type TenantCall } from '../route.ts'

/** Rows of one page; the file has all. */
const MOST_ROWS = 500

/** What an account was reported and billed for a month, beside each other. */
export const reconciliationRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/billing/reconciliation/{account}/{month}', reconcileReports, reconciliationPage),
  actRoute('GET', '/billing/reconciliation/{account}/{month}/{format}', reconciliationFile, answerFile),
]

const read = (call: TenantCall) => doAct(call, reconcileReports, { account: call.params.account, month: call.params.month })

async function reconciliationPage(call: TenantCall): Promise<Answer> {
  const found = await read(call)
  const { account, month, time_zone: zone, is_reported: isReported, entries, invoices, totals } = found
  const path = `${call.base}/billing/reconciliation/${encodeURIComponent(account)}/${month}`
  const links = invoices.map(
    (id) => html`<a class="button" href="${call.base}/billing/${encodeURIComponent(id)}">Invoice ${id}</a>`,
  )
  const compared = isReported
    ? `Reports have days in UTC, invoices in ${zone}.`
    : 'These are direct orders: nobody is reported to, so that nothing is compared.'
  const lead = [
    `${account}.`,
    compared,
    'Amounts are before discount and commission; what is invoiced is after both, without tax.',
    sharedDaysText(found) ?? '',
    clearingText(found) ?? '',
  ]
    .join(' ')
    .trim()
  const sums = totals.map(({ currency, reported, corrected, settled, billed, fees, invoiced, difference }) =>
    [...(isReported ? [reported, corrected, settled] : []), billed, fees, invoiced, ...(isReported ? [difference] : [])].map(
      (amount) => (amount === null ? '–' : money(amount, currency)),
    ),
  )
  const columns = isReported
    ? ['Reported', 'Corrected', 'Disputes settled', 'Billed', 'Fees and credits', 'Invoiced', 'Difference']
    : ['Billed', 'Fees and credits', 'Invoiced']
  const rows = entries.slice(0, MOST_ROWS).map(rowOf)
  const none = empty('Nothing was reported or billed', 'Reports begin when a buyer configures them with sync_accounts.')
  const body = html`${heading(`Reports and invoices of ${month}`, html`${links}${RECONCILIATION_FORMS.map((form) => html`<a class="button" href="${path}/${form}">${form.toUpperCase()}</a>`)}`, lead)}
${
  entries.length === 0
    ? none
    : html`<section class="panel">${table('Totals', columns, sums)}</section>
<section class="panel">${table('Records', ['Record', 'Day', 'Kind', 'Order', 'Impressions', 'Amount', 'Invoiced', 'Buyer'], rows)}</section>`
}
${entries.length > MOST_ROWS && html`<p class="soft">${count(entries.length - MOST_ROWS)} more are in the file.</p>`}`
  return page(`Reports and invoices of ${month}`, body)
}

function rowOf({
  record,
  day: of,
  kind,
  finality,
  order,
  line,
  currency,
  impressions,
  amount,
  invoiced,
  said,
  agreed,
  rate_basis: basis,
}: ReconciliationEntry) {
  const what = finality === null ? words(kind) : `${words(kind)}, ${words(finality)}`
  const buyer = agreed === null ? '' : { yes: words(said ?? ''), no: 'says otherwise', silent: 'has not said' }[agreed]
  return [
    record,
    of === null ? '' : day(of),
    what,
    [order, line].filter(Boolean).join(' '),
    count(impressions),
    html`${money(amount, currency)}${basis === 'clearing_average' && html`<small>average of clearing prices</small>`}`,
    invoiced === null ? '' : money(invoiced, currency),
    buyer,
  ]
}

async function answerFile(call: TenantCall): Promise<Answer> {
  const { account, month, format } = call.params
  const { name, media_type: type, content_base64: content } = await doAct(call, reconciliationFile, { account, month, format })
  return { kind: 'file', type, name, body: Buffer.from(content, 'base64') }
}

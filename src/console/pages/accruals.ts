import { isParty } from '../../domain/order/order-terms.ts'
import { allPages } from '../../operator/all-pages.ts'
import { accrualCsv, showAccruals } from '../../operator/billing/accruals.ts'
import { MAX_LIMIT } from '../../operator/fields.ts'
import type { AdcpError } from '../../protocol/errors.ts'
import { actRoute, doAct } from '../do-act.ts'
import { orAgain } from '../form-outcome.ts'
import { money } from '../format.ts'
import { type Html, html } from '../html.ts'
import { empty, field, heading, pager, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, type TenantCall } from '../route.ts'

/** What was delivered or charged and is on no invoice yet, as a page and as a file. */
export const accrualRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/billing/accruals', showAccruals, orAgain(accrualsPage, refusedPage)),
  actRoute('GET', '/billing/accruals.csv', showAccruals, accrualsFile),
]

/** What the address asks for: an empty input is not sent. */
function askedOf(query: URLSearchParams): Readonly<Record<string, string>> {
  return Object.fromEntries(['through', 'account'].flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? '']] : [])))
}

async function accrualsPage(call: TenantCall): Promise<Answer> {
  const { query, base } = call
  const asked = askedOf(query)
  const {
    items,
    totals,
    through,
    next_cursor: next,
  } = await doAct(call, showAccruals, { ...asked, cursor: query.get('cursor') || undefined })
  const lead = `What was delivered or charged through ${through} and is on no invoice: what closing these months would invoice now, without tax.`
  const amounts = (row: (typeof totals)[number]) =>
    [row.delivered, row.net, row.charges, row.accrued].map((each) => money(each, row.currency))
  const rows = [
    ...items.map((item) => [
      html`${item.month}${item.is_closed && html`<small>closed: a correction</small>`}`,
      customerCell(base, item),
      ...amounts(item),
    ]),
    ...totals.map((sum) => [html`<strong>All</strong>`, sum.currency, ...amounts(sum)]),
  ]
  const numbers = ['Before discount', 'Net', 'Charges and credits', 'Accrued'].map((title) => ({ title, numeric: true }))
  const shown =
    items.length === 0
      ? empty('Everything that was delivered is invoiced')
      : table('Accruals', ['Month', 'Customer', ...numbers], rows)
  const file = html`<a class="button" href="${base}/billing/accruals.csv?${new URLSearchParams({ ...asked, through }).toString()}">CSV</a>`
  return page(
    'Accruals',
    html`${heading('Accruals', file, lead)}${form(call, through)}${shown}${pager(`${base}/billing/accruals`, query, next)}`,
  )
}

function form({ base, query }: TenantCall, through: string): Html {
  return html`<form class="filters" method="get" action="${base}/billing/accruals">${field('through', 'Through the month', { type: 'month', value: through })}${field('account', 'Customer', { value: query.get('account') ?? '', of: showAccruals.fields.account })}<button>Show</button></form>`
}

function refusedPage(call: TenantCall, refusal: AdcpError): Answer {
  const body = html`${heading('Accruals')}<p class="notice bad" role="alert">${refusal.message}</p>${form(call, '')}`
  return page('Accruals', body, { refusal })
}

function customerCell(
  base: string,
  { account, account_name: name }: { readonly account: string; readonly account_name: string | null },
): Html {
  return isParty(account)
    ? html`${name ?? account}`
    : html`<a href="${base}/accounts/${encodeURIComponent(account)}">${name ?? account}</a>`
}

async function accrualsFile(call: TenantCall): Promise<Answer> {
  const asked = askedOf(call.query)
  const items = await allPages((cursor) => doAct(call, showAccruals, { ...asked, cursor, limit: MAX_LIMIT }))
  const name = `${['accruals', ...(asked.through === undefined ? [] : [asked.through])].join('-')}.csv`
  return { kind: 'file', type: 'text/csv; charset=utf-8', name, body: accrualCsv(items) }
}

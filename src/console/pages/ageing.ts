import { isParty } from '../../domain/order/order-terms.ts'
import { allPages } from '../../operator/all-pages.ts'
import { type AgedItems, agedAmounts, ageingCsv, showAgeing } from '../../operator/billing/ageing.ts'
import { MAX_LIMIT } from '../../operator/fields.ts'
import type { AdcpError } from '../../protocol/errors.ts'
import { actRoute, doAct } from '../do-act.ts'
import { orAgain } from '../form-outcome.ts'
import { count, day, money } from '../format.ts'
import { attribute, type Html, html } from '../html.ts'
import { empty, field, figure, heading, pager, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, type TenantCall } from '../route.ts'

/** Open items of customers by how long ago they were due, as a page and as a file. */
export const ageingRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/billing/ageing', showAgeing, orAgain(ageingPage, refusedPage)),
  actRoute('GET', '/billing/ageing.csv', showAgeing, ageingFile),
]

/** What the address asks for: an empty input is not sent. */
function askedOf(query: URLSearchParams): Readonly<Record<string, string>> {
  return Object.fromEntries(['on', 'account', 'all'].flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? '']] : [])))
}

/** The same as fields of the act. */
function membersOf({ all, ...asked }: Readonly<Record<string, string>>) {
  return { ...asked, ...(all !== undefined && { all: all === 'true' }) }
}

async function ageingPage(call: TenantCall): Promise<Answer> {
  const { query, base } = call
  const asked = askedOf(query)
  const found = await doAct(call, showAgeing, { ...membersOf(asked), cursor: query.get('cursor') || undefined })
  const { items, totals, on, next_cursor: next } = found
  const lead = html`Open invoices by how long ago they were due, on ${day(on)}. Amounts are with tax; the balance is what is open less the credit, which was paid or credited beyond what invoices ask for.`
  const figures = totals.map((sum) =>
    figure(`Open in ${sum.currency}`, money(sum.open, sum.currency), `balance ${money(sum.balance, sum.currency)}`),
  )
  const shown = items.length === 0 ? empty('Nothing is open, and nobody has credit') : agedTable(base, items, totals)
  const file = html`<a class="button" href="${base}/billing/ageing.csv?${new URLSearchParams({ ...asked, on }).toString()}">CSV</a>`
  const title = asked.all === 'true' ? 'Customers' : 'Open items'
  return page(
    title,
    html`${heading(title, file, lead)}${form(call, on)}${figures.length > 0 && html`<div class="figures">${figures}</div>`}${shown}${pager(`${base}/billing/ageing`, query, next)}`,
  )
}

function form({ base, query }: TenantCall, on: string): Html {
  return html`<form class="filters" method="get" action="${base}/billing/ageing">${field('on', 'On the day', { type: 'date', value: on })}${field('account', 'Customer', { value: query.get('account') ?? '', of: showAgeing.fields.account })}<label class="option"><input type="checkbox" name="all" value="true"${attribute('checked', query.get('all') === 'true')}> Also customers with nothing open</label><button>Show</button></form>`
}

function refusedPage(call: TenantCall, refusal: AdcpError): Answer {
  const body = html`${heading('Open items')}<p class="notice bad" role="alert">${refusal.message}</p>${form(call, '')}`
  return page('Open items', body, { refusal })
}

type Totals = Awaited<ReturnType<typeof showAgeing.run>>['totals']

function agedTable(base: string, items: readonly AgedItems[], totals: Totals): Html {
  const amounts = (row: Totals[number]) =>
    agedAmounts(row).map(([, amount]) => (amount === 0 ? '–' : money(amount, row.currency)))
  const cells = (row: Totals[number]) => {
    const { credit, currency } = row
    const ages = amounts(row).slice(0, -2)
    return [...ages, html`${money(row.balance, currency)}${credit > 0 && html`<small>credit ${money(credit, currency)}</small>`}`]
  }
  const rows = [
    ...items.map((item) => [customerCell(base, item), ...cells(item)]),
    ...totals.map((sum) => [
      html`<strong>All, ${sum.currency}</strong><small>${invoicesText(sum.invoices)}</small>`,
      ...cells(sum),
    ]),
  ]
  const [first] = totals
  const titles = first ? agedAmounts(first).flatMap(([title]) => (title === 'Credit' ? [] : { title, numeric: true })) : []
  return table('Open items', ['Customer', ...titles], rows)
}

function customerCell(base: string, { account, account_name: name, vat_id: vat, invoices }: AgedItems): Html {
  const shown = isParty(account)
    ? html`${name ?? account}`
    : html`<a href="${base}/accounts/${encodeURIComponent(account)}">${name ?? account}</a>`
  return html`${shown}${vat !== null && html`<small>${vat}</small>`}<small><a href="${base}/billing?account=${encodeURIComponent(account)}">${invoicesText(invoices)}</a></small>`
}

function invoicesText(number: number): string {
  return `${count(number)} open ${number === 1 ? 'invoice' : 'invoices'}`
}

async function ageingFile(call: TenantCall): Promise<Answer> {
  const asked = askedOf(call.query)
  const items = await allPages((cursor) => doAct(call, showAgeing, { ...membersOf(asked), cursor, limit: MAX_LIMIT }))
  const name = `${['open-items', ...(asked.on === undefined ? [] : [asked.on])].join('-')}.csv`
  return { kind: 'file', type: 'text/csv; charset=utf-8', name, body: ageingCsv(items) }
}

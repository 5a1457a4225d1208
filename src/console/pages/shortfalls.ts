import type { Shortfall } from '../../operator/orders/find-shortfalls.ts'
import { listShortfalls, SHORTFALL_DAYS } from '../../operator/orders/list-shortfalls.ts'
import { actRoute, doAct } from '../do-act.ts'
import { count, flightDay, money, percent } from '../format.ts'
import { html } from '../html.ts'
import { ORDER_PAGES } from '../parts/order-pages.ts'
import { choice, empty, heading, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, type TenantCall } from '../route.ts'

/** Lines of any order that ended below what was ordered. */
export const shortfallRoutes: readonly ConsoleRoute[] = [actRoute('GET', '/reports/shortfalls', listShortfalls, shortfallPage)]

const SPANS = [7, SHORTFALL_DAYS, 90, 366].map((days) => [String(days), `the last ${days} days`] as const)
const COLUMNS = [
  'Order',
  'Line',
  'Sold by',
  { title: 'Ordered', numeric: true },
  { title: 'Delivered', numeric: true },
  { title: 'Missing', numeric: true },
  'Last day',
  '',
]

async function shortfallPage(call: TenantCall): Promise<Answer> {
  const { base, query } = call
  const days = Number(query.get('days') || SHORTFALL_DAYS)
  const { items } = await doAct(call, listShortfalls, { days })
  const rows = items.map((each) => [
    html`<a href="${base}/${ORDER_PAGES[each.origin]}/${encodeURIComponent(each.order_id)}">${each.advertiser ?? each.order_id}</a><small class="id">${each.name ?? each.order_id}</small>`,
    html`${each.product_id}<small class="id">${each.line_id}</small>`,
    each.buyer_name ?? 'your people',
    amountOf(each, each.ordered),
    amountOf(each, each.delivered),
    percent(each.missing),
    flightDay(each.flight.last),
    html`<a class="button" href="${base}/orders/${encodeURIComponent(each.order_id)}/make-goods?line=${encodeURIComponent(each.line_id)}">Make good</a>${each.make_good && html`<small>${each.make_good.state}</small>`}`,
  ])
  const form = html`<form class="filters" method="get" action="${base}/reports/shortfalls">${choice('days', 'Ended in', SPANS, String(days))}<button>Show</button></form>`
  const lead = 'Lines whose flight is over and that delivered less than what was ordered, of buyers and of your people.'
  const list =
    rows.length === 0 ? empty('Everything that ended delivered what was ordered') : table('Delivered too little', COLUMNS, rows)
  return page('Delivered too little', html`${heading('Delivered too little', undefined, lead)}${form}${list}`)
}

function amountOf({ unit, currency }: Shortfall, value: number): string {
  return unit === 'money' ? money(value, currency) : count(value)
}

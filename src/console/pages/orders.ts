import { ORDER_STATUSES } from '../../domain/media-buy/lifecycle.ts'
import { ORIGINS } from '../../domain/order/order-origin.ts'
import { allPages } from '../../operator/all-pages.ts'
import { listBuyers } from '../../operator/buyers/list-buyers.ts'
import { MAX_LIMIT } from '../../operator/fields.ts'
import { changeOrders } from '../../operator/order-list/change-several.ts'
import { listOrders, SCANNED_ORDERS } from '../../operator/order-list/list-orders.ts'
import type { ListedOrder } from '../../operator/order-list/listed-order.ts'
import { MOST_IN_FILE, ordersCsv } from '../../operator/order-list/orders-csv.ts'
import type { SORTS } from '../../operator/orders/read-orders.ts'
import { answerSeveral } from '../answer-several.ts'
import { actRoute, doAct, may } from '../do-act.ts'
import { written } from '../form-text.ts'
import { count, flightDay, money, percent, words } from '../format.ts'
import { type Html, html } from '../html.ts'
import { ORDER_PAGES } from '../parts/order-pages.ts'
import { pacingBar } from '../parts/pacing.ts'
import { choice, empty, field, heading, limits, pager, statusBadge, table } from '../parts/parts.ts'
import { chooseBox, seenField, severalForm } from '../parts/several.ts'
import { type Answer, type ConsoleRoute, page, type TenantCall } from '../route.ts'

/** The list of orders; its view is in the address. */
export const orderListRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/orders', listOrders, ordersPage),
  actRoute('GET', '/orders.csv', listOrders, ordersFile),
  actRoute('POST', '/orders/chosen', changeOrders, answerChosen),
]

const SORT_WORDS = {
  created: 'Newest first',
  end: 'Latest end first',
  budget: 'Largest budget first',
} as const satisfies Record<(typeof SORTS)[number], string>

/** Fields of the list that its form has no part in. */
const BY_PAGES = ['cursor', 'limit']

/** What the address of the list asks for, by the fields of the list. */
function askedOf(query: URLSearchParams): Readonly<Record<string, unknown>> {
  const asked = Object.entries(listOrders.fields).flatMap(([name, field]) => {
    const text = query.get(name)?.trim() ?? ''
    return text === '' || BY_PAGES.includes(name) ? [] : [[name, field.parse?.(text)]]
  })
  return Object.fromEntries(asked)
}

async function ordersPage(call: TenantCall): Promise<Answer> {
  const { query, base } = call
  const asked = (name: string) => query.get(name)?.trim() ?? ''
  const { items: orders, next_cursor: next } = await doAct(call, listOrders, {
    ...askedOf(query),
    cursor: query.get('cursor') || undefined,
  })
  const { items: buyers } = await doAct(call, listBuyers, {})
  const buyerOptions = [['', 'Every buyer'], ...buyers.map(({ buyer, name }) => [buyer, name])] as [string, string][]
  const statuses = [['', 'Every status'], ...ORDER_STATUSES.map((status) => [status, words(status)])] as [string, string][]
  const origins = [['', 'Every origin'], ...ORIGINS.map((origin) => [origin, ORIGIN_WORDS[origin]])] as [string, string][]
  const form = html`<form class="filters" method="get" action="${base}/orders" role="search">
${field('search', 'Search', { type: 'search', value: asked('search') })}
${choice('origin', 'Origin', origins, asked('origin'))}
${choice('status', 'Status', statuses, asked('status'))}
${choice('buyer', 'Buyer', buyerOptions, asked('buyer'))}
${field('advertiser', 'Advertiser', { value: asked('advertiser') })}
${field('first', 'Runs from', { type: 'date', value: asked('first') })}
${field('last', 'Runs until', { type: 'date', value: asked('last') })}
${asked('product') !== '' && field('product', 'Product', { value: asked('product') })}
${choice('sort', 'Sort', Object.entries(SORT_WORDS), asked('sort'))}
<button>Show</button>${query.size > 0 && html` <a class="button" href="${base}/orders">Reset</a>`}</form>`
  const scanned = html`None among the next ${count(SCANNED_ORDERS)} orders of the list; older ones are on the next page.`
  const none = empty(
    query.size > 0 ? 'No order fits' : 'No orders yet',
    query.size > 0
      ? 'Change the filter, or reset it.'
      : html`Give a buyer a key under <a href="${base}/buyers">Buyers and keys</a>; what it buys appears here.`,
  )
  const mayChange = may(call, changeOrders)
  const body = html`${heading('Orders', html`<a class="button" href="${base}/direct-orders">Direct orders</a><a class="button" href="${base}/orders.csv${query.size > 0 && `?${query}`}">CSV</a>`)}${form}${orders.length === 0 ? (next === null ? none : empty('No order fits so far', scanned)) : html`${mayChange && chosenForm(call)}${orderTable(call, orders, mayChange)}`}${pager(`${base}/orders`, query, next)}`
  return page('Orders', body)
}

/** All orders of the view as CSV. Throws INVALID_REQUEST for more than {@link MOST_IN_FILE}. */
async function ordersFile(call: TenantCall): Promise<Answer> {
  const asked = askedOf(call.query)
  const orders = await allPages((cursor) => doAct(call, listOrders, { ...asked, cursor, limit: MAX_LIMIT }), MOST_IN_FILE)
  return { kind: 'file', type: 'text/csv; charset=utf-8', name: 'orders.csv', body: ordersCsv(orders) }
}

const ORIGIN_WORDS = { buyer: 'Buyers', entered: 'Entered by people', adopted: 'Adopted from an ad server' } as const

/** One act for the orders whose boxes are chosen. */
function chosenForm(call: TenantCall): Html {
  const { reason } = changeOrders.fields
  return severalForm(
    call,
    '/orders/chosen',
    html`<button name="state" value="paused">Pause the chosen</button><button name="state" value="active">Resume the chosen</button>
<details><summary>Give a reason</summary><div class="field"><label for="chosen-reason">Reason, for the buyers and the history</label><textarea id="chosen-reason" name="reason"${limits(reason)}></textarea></div></details>`,
  )
}

async function answerChosen(call: TenantCall): Promise<Answer> {
  const { form, base } = call
  const state = form.get('state') ?? undefined
  const orders = form.getAll('id')
  const revisions = Object.fromEntries(
    orders.flatMap((id) => (form.has(seenField(id)) ? [[id, Number(form.get(seenField(id)))]] : [])),
  )
  const { changed, refused } = await doAct(call, changeOrders, { orders, state, reason: written(form, 'reason'), revisions })
  return answerSeveral(call, {
    ...{ list: 'Orders', path: '/orders', done: changed.length },
    refused: refused.map(({ order: id, ...why }) => ({ id, ...why })),
    did: state === 'paused' ? 'paused' : 'resumed',
    nameOf: (id) => html`<a href="${base}/orders/${encodeURIComponent(id)}">${id}</a>`,
  })
}

/** The box of an order that can be paused or resumed here. */
function boxOf({ changeable, media_buy_id: id, advertiser, name, revision }: ListedOrder): Html | false {
  return changeable && chooseBox(id, [advertiser, name ?? id].filter((text) => text !== null).join(' '), String(revision))
}

/** Orders as rows, with a box for each that may be chosen. */
function orderTable({ base }: TenantCall, orders: readonly ListedOrder[], mayChoose: boolean): Html {
  const rows = orders.map((order) => [
    ...(mayChoose ? [boxOf(order)] : []),
    html`<a href="${base}/${ORDER_PAGES[order.origin]}/${encodeURIComponent(order.media_buy_id)}">${order.advertiser ?? order.media_buy_id}</a><small class="id">${order.name ?? order.po_number ?? order.media_buy_id}</small>`,
    html`${order.buyer_name ?? ORIGIN_WORDS[order.origin]}${order.sandbox && html`<small>sandbox</small>`}`,
    statusBadge(order.status),
    html`${pacingBar(order.pacing)}<small>${percent(order.pacing.delivered)} of ${percent(order.pacing.expected)}</small>`,
    money(order.spent, order.currency),
    order.budget === null ? 'not limited' : money(order.budget, order.currency),
    count(order.impressions),
    flightDay(order.flight.last),
  ])
  const columns = [
    ...(mayChoose ? [''] : []),
    'Advertiser',
    'Buyer',
    'Status',
    'Pacing',
    { title: 'Spent', numeric: true },
    { title: 'Budget', numeric: true },
    { title: 'Impressions', numeric: true },
    'Last day',
  ]
  return table('Orders', columns, rows)
}

import type { DirectOrder } from '../../ad-serving/house/direct-order.ts'
import { localDay, nextDay, startOfLocalDay } from '../../domain/calendar/local-time.ts'
import {
  changeDirectOrder,
  enterDirectOrder,
  listDirectOrders,
  requireNewOrder,
  showDirectOrder,
} from '../../operator/direct-orders/direct-orders.ts'
import { listProducts } from '../../operator/products/list-products.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { count, day, money } from '../format.ts'
import { type Html, html } from '../html.ts'
import { zoneOf } from '../local-times.ts'
import { act, choice, csrfField, empty, facts, field, heading, pager, statusBadge, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, READERS, redirect, SELLERS, type TenantCall, tenantRoute } from '../route.ts'

/** Orders that the publisher's people sold themselves, and their own ads, for the embedded ad server. */
export const directOrderRoutes: readonly ConsoleRoute[] = [
  tenantRoute('GET', '/direct-orders', READERS, listPage),
  tenantRoute('POST', '/direct-orders', SELLERS, enter),
  tenantRoute('GET', '/direct-orders/new', SELLERS, newPage),
  tenantRoute('GET', '/direct-orders/{order}', READERS, orderPage),
  tenantRoute('POST', '/direct-orders/{order}/{state}', SELLERS, changeState),
]

const PRIORITIES = [
  ['guaranteed', 'Guaranteed: served first, held in the inventory'],
  ['standard', 'Standard: by price'],
  ['house', 'House: where nothing else is served'],
] as const

/** Products of the choice; a file takes any. */
const OFFERED_PRODUCTS = 200

async function listPage(call: TenantCall): Promise<Answer> {
  const { operator, tenantId, base, query, role } = call
  const { orders, next } = await listDirectOrders(operator, tenantId, query.get('cursor') || undefined)
  const rows = orders.map((order) => [
    html`<a href="${base}/direct-orders/${encodeURIComponent(order.order_id)}">${order.name}</a><small>${order.order_id}</small>`,
    order.advertiser,
    statusBadge(order.state),
    order.currency,
  ])
  const create = SELLERS.includes(role)
    ? html`<a class="button primary" href="${base}/direct-orders/new">Enter an order</a>`
    : undefined
  const lead = 'What your people sold, and your own ads. The embedded ad server serves them beside the orders of buyers.'
  const list =
    rows.length === 0
      ? empty('No direct orders', 'A guaranteed one holds inventory, so that buyers are offered what is left.')
      : table('Direct orders', ['Order', 'Advertiser', 'State', 'Currency'], rows)
  return page(
    'Direct orders',
    html`${heading('Direct orders', create, lead)}${list}${pager(`${base}/direct-orders`, query, next)}`,
  )
}

async function newPage(call: TenantCall): Promise<Answer> {
  const { operator, tenantId, base, tenant } = call
  const { products } = await listProducts(operator, { tenantId, limit: OFFERED_PRODUCTS })
  const offered = products.map(({ product_id: id, name }) => [id, name] as const)
  const zone = zoneOf(call)
  const tomorrow = nextDay(localDay(operator.clock(), zone))
  const body = html`${heading('Enter a direct order', undefined, `Days of ${zone}.`)}
<section class="panel"><form method="post" action="${base}/direct-orders">${csrfField(call)}<div class="columns"><div>
${field('name', 'Name', { required: true })}
${field('order_id', 'Id', { required: true, hint: 'Letters, digits, dots, - and _. It cannot be changed.' })}
${field('advertiser', 'Advertiser', { hint: 'Empty: direct.' })}
${choice('product_id', 'Product', offered, '')}
${choice('priority', 'Priority', PRIORITIES, 'guaranteed')}</div><div>
${field('first', 'First day', { type: 'date', value: tomorrow, required: true })}
${field('last', 'Last day', { type: 'date', value: tomorrow, required: true })}
${field('impressions', 'Impressions', { hint: 'A guaranteed order needs them.' })}
${field('cpm', 'Price of a thousand impressions', { value: '0' })}
${field('currency', 'Currency', { value: tenant.settings.currency ?? 'USD' })}</div><div>
${field('image', 'Address of the picture', { type: 'url', required: true })}
${field('click_url', 'Landing page', { type: 'url', required: true })}
${field('width', 'Width in pixels', { required: true })}
${field('height', 'Height in pixels', { required: true })}</div></div>
<button class="primary">Enter the order</button> <a class="button" href="${base}/direct-orders">Back</a>
<p class="hint">Orders of several lines, targeting, HTML, native and video come from a file: <code>sales-agent direct-orders put</code>, or the admin API.</p></form></section>`
  return page('Enter a direct order', body)
}

async function enter(call: TenantCall): Promise<Answer> {
  const { operator, tenantId, form, base } = call
  const order = orderOf(form, zoneOf(call))
  await requireNewOrder(operator, tenantId, order.order_id)
  await enterDirectOrder(operator, tenantId, { name: 'the form', text: JSON.stringify(order) })
  return redirect(`${base}/direct-orders/${encodeURIComponent(order.order_id)}`, 'added')
}

/** The order of a form: one line with one picture. The schema judges what is in it. */
function orderOf(form: URLSearchParams, zone: string): Omit<DirectOrder, 'lines'> & { readonly lines: readonly object[] } {
  const textOf = (name: string) => (form.get(name) ?? '').trim()
  const numberOf = (name: string) => (textOf(name) === '' ? {} : { [name]: numberIn(textOf(name), name) })
  const advertiser = textOf('advertiser')
  const line = {
    line_id: 'line-1',
    product_id: textOf('product_id'),
    priority: textOf('priority'),
    starts_at: startOfLocalDay(dayIn(form, 'first'), zone).toISOString(),
    ends_at: startOfLocalDay(nextDay(dayIn(form, 'last')), zone).toISOString(),
    ...numberOf('impressions'),
    ...numberOf('cpm'),
    creatives: [
      {
        creative_id: 'picture',
        ...numberOf('width'),
        ...numberOf('height'),
        click_url: textOf('click_url'),
        image: { url: textOf('image') },
      },
    ],
  }
  return {
    order_id: textOf('order_id'),
    name: textOf('name'),
    ...(advertiser !== '' && { advertiser }),
    currency: textOf('currency'),
    lines: [line],
  }
}

function numberIn(text: string, name: string): number {
  const value = Number(text.replace(',', '.'))
  if (Number.isFinite(value)) return value
  throw new AdcpError('INVALID_REQUEST', `"${text}" is no number; write one such as 250`, { field: name })
}

function dayIn(form: URLSearchParams, name: string): string {
  const text = form.get(name) ?? ''
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))) return text
  throw new AdcpError('INVALID_REQUEST', `"${text}" is no day; write one as YYYY-MM-DD`, { field: name })
}

async function orderPage(call: TenantCall): Promise<Answer> {
  const { operator, tenantId, params, role } = call
  const order = await showDirectOrder(operator, tenantId, params.order ?? '')
  const rows = order.lines.map((line) => [
    line.line_id,
    line.product_id,
    statusBadge(line.state),
    line.priority,
    html`${day(line.starts_at)} – ${day(line.ends_at)}`,
    html`${count(line.impressions)}${line.goal !== null && html`<small>of ${count(line.goal)}</small>`}`,
    count(line.clicks),
    money(line.charged, order.currency),
  ])
  const numbers = ['Impressions', 'Clicks', 'Charged'].map((title) => ({ title, numeric: true }))
  const body = html`${heading(html`${order.name} ${statusBadge(order.state)}`, SELLERS.includes(role) ? stateActs(call, order) : undefined, order.order_id)}
<section class="panel"><h2>About</h2>${facts([
    ['Advertiser', order.advertiser],
    ['Currency', order.currency],
  ])}</section>
<section class="panel"><h2>Lines</h2>${table('Lines', ['Line', 'Product', 'State', 'Priority', 'Flight', ...numbers], rows)}</section>`
  return page(order.name, body)
}

/** What ended holds nothing and cannot be resumed; ending is asked for a second time. */
function stateActs(
  call: TenantCall,
  { order_id: id, state }: { readonly order_id: string; readonly state: string },
): Html | undefined {
  if (state === 'ended') return undefined
  const path = `${call.base}/direct-orders/${encodeURIComponent(id)}`
  const pause = state === 'paused' ? act(call, `${path}/active`, 'Resume') : act(call, `${path}/paused`, 'Pause')
  return html`${pause}<details class="confirm"><summary>End</summary><p>It ends for good, and what it holds of the inventory is free for others.</p>${act(call, `${path}/ended`, 'End it for good', { kind: 'danger' })}</details>`
}

const DONE_BY = { paused: 'paused', active: 'resumed', ended: 'ended' } as const

async function changeState({ operator, tenantId, params, base }: TenantCall): Promise<Answer> {
  const { order = '', state = '' } = params
  if (state !== 'paused' && state !== 'active' && state !== 'ended')
    throw new AdcpError('REFERENCE_NOT_FOUND', `"${state}" is nothing that can be done to a direct order`)
  await changeDirectOrder(operator, tenantId, order, state)
  return redirect(`${base}/direct-orders/${encodeURIComponent(order)}`, DONE_BY[state])
}

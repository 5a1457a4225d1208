import { unitWords } from '../../domain/product/price-words.ts'
import { percentOf } from '../../operator/basis-points.ts'
import type { DirectAction, ShownDirectOrder } from '../../operator/direct-orders/direct-order-shapes.ts'
import { changeDirectOrder, listDirectOrders, showDirectOrder } from '../../operator/direct-orders/direct-orders.ts'
import { enterDirectOrder } from '../../operator/direct-orders/enter-direct-order.ts'
import { listNotes } from '../../operator/orders/note-order.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { actRoute, doAct, may } from '../do-act.ts'
import { inputOf } from '../form-text.ts'
import { count, flightDay, flightDays, moment, money, percent, unitPrice } from '../format.ts'
import { type Html, html, type Part } from '../html.ts'
import { notesPanel } from '../parts/order-notes.ts'
import { pacingBar, pacingText } from '../parts/pacing.ts'
import { act, empty, facts, heading, pager, statusBadge, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'
import { directOrderEditRoutes } from './direct-order-edit.ts'
import { directOrderFormRoutes, ENTER_PATH } from './direct-order-form.ts'
import { termsPanel } from './order-terms.ts'

/** Orders that the publisher's people sold themselves, and their own ads, for the embedded ad server. */
export const directOrderRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/direct-orders', listDirectOrders, listPage),
  ...directOrderFormRoutes,
  actRoute('GET', '/direct-orders/{order}', showDirectOrder, orderPage),
  ...directOrderEditRoutes,
  actRoute('POST', '/direct-orders/{order}/{state}', changeDirectOrder, changeState),
]

async function listPage(call: TenantCall): Promise<Answer> {
  const { base, query } = call
  const cursor = query.get('cursor') || undefined
  const { items: orders, next_cursor: next } = await doAct(call, listDirectOrders, { cursor })
  const rows = orders.map((order) => [
    html`<a href="${base}/direct-orders/${encodeURIComponent(order.order_id)}">${order.name}</a><small>${order.order_id}</small>`,
    order.advertiser,
    badgesOf(order),
    html`${pacingBar(order.pacing)}<small>${percent(order.pacing.delivered)} of ${percent(order.pacing.expected)}</small>`,
    html`${count(order.impressions)}${order.goal > 0 && html`<small>of ${count(order.goal)}</small>`}`,
    flightDay(order.flight.last),
  ])
  const create = may(call, enterDirectOrder)
    ? html`<a class="button primary" href="${base}${ENTER_PATH}">Enter an order</a>`
    : undefined
  const lead = 'What your people sold, and your own ads. The embedded ad server serves them beside the orders of buyers.'
  const list =
    rows.length === 0
      ? empty('No direct orders', 'A guaranteed one holds inventory, so that buyers are offered what is left.')
      : table(
          'Direct orders',
          ['Order', 'Advertiser', 'Status', 'Pacing', { title: 'Impressions', numeric: true }, 'Last day'],
          rows,
        )
  return page(
    'Direct orders',
    html`${heading('Direct orders', create, lead)}${list}${pager(`${base}/direct-orders`, query, next)}`,
  )
}

async function orderPage(call: TenantCall): Promise<Answer> {
  const { params } = call
  const order = await doAct(call, showDirectOrder, { order: params.order ?? '' })
  const rows = order.lines.map((line) => [
    html`${line.line_id}<small>${line.product_id}</small>`,
    html`${statusBadge(line.status)}<small>${line.priority}</small>`,
    flightDays(line.flight),
    html`${pacingBar(line.pacing)}<small>${pacingText(line.pacing)}</small>`,
    html`${count(line.impressions)}${line.goal !== null && html`<small>of ${count(line.goal)}</small>`}<small>${count(line.clicks)} ${line.clicks === 1 ? 'click' : 'clicks'}</small>`,
    ...priceCells(line.price, order),
    html`${money(line.charged, order.currency)}${line.charged_net !== line.charged && html`<small>before discount</small><small>net ${money(line.charged_net, order.currency)}</small>`}`,
  ])
  const changes = order.history.map(({ revision, at, person, summary }) => [
    moment(at),
    person.replace(/^console:/, ''),
    html`${summary.map((text) => html`<div>${text}</div>`)}`,
    revision,
  ])
  const { items: notes } = await doAct(call, listNotes, { order: order.order_id })
  const numbers = ['Impressions', 'List price', 'Discount', 'Net price', 'Charged'].map((title) => ({
    title,
    numeric: true,
  }))
  const body = html`${heading(html`${order.name} ${badgesOf(order)}`, stateActs(call, order), order.order_id)}
<section class="panel"><h2>About</h2>${facts([
    ['Advertiser', order.advertiser],
    ['Currency', order.currency],
    ['Revision', order.revision],
  ])}</section>
<section class="panel"><h2>Lines</h2>${table('Lines', ['Line', 'Status', 'Flight', 'Pacing', ...numbers], rows)}</section>
${await termsPanel(call, order.order_id)}
${notesPanel(call, order.order_id, notes)}
${changes.length > 0 && html`<section class="panel"><h2>History</h2>${table('History', ['When', 'Who', 'What', { title: 'Revision', numeric: true }], changes)}</section>`}`
  return page(order.name, body)
}

/** The price of a line as it was entered, what is taken off it, and what is left. */
function priceCells(
  price: ShownDirectOrder['lines'][number]['price'],
  { currency, discount_basis_points: discount, commission_basis_points: commission }: ShownDirectOrder,
): readonly Part[] {
  if (price === null) return ['–', '–', '–']
  const unit = price.model === 'per_day' ? 'per day' : unitWords(price.model)
  const off = discount === 0 ? '–' : `${percentOf(discount)} %`
  return [
    html`${unitPrice(price.list, currency)}<small>${unit}</small>`,
    html`${off}${commission > 0 && html`<small>commission</small><small>${percentOf(commission)} %</small>`}`,
    unitPrice(price.net, currency),
  ]
}

/** Its status, and that it is held back before its flight. */
function badgesOf({ state, status }: Pick<ShownDirectOrder, 'state' | 'status'>): Html {
  return html`${statusBadge(status)}${state === 'paused' && status.startsWith('pending_') && html` ${statusBadge('paused')}`}`
}

/** What is possible now and the person may do; ending and canceling are asked for a second time. */
function stateActs(
  call: TenantCall,
  { order_id: id, possible_actions: possible, cancellation, currency, revision }: ShownDirectOrder,
): Html {
  const path = `${call.base}/direct-orders/${encodeURIComponent(id)}`
  const mayEnter = may(call, enterDirectOrder)
  const toState = (state: keyof typeof DONE_BY, label: string, kind?: 'danger') =>
    act(call, `${path}/${state}`, label, { fields: { revision: String(revision) }, ...(kind && { kind }) })
  const can = (action: DirectAction) =>
    possible.includes(action) && (action === 'change' ? mayEnter : may(call, changeDirectOrder))
  const copy = `${call.base}${ENTER_PATH}?copy=${encodeURIComponent(id)}`
  return html`${can('change') && html`<a class="button" href="${path}/edit">Change</a>`}${mayEnter && html`<a class="button" href="${copy}">Copy</a>`}${can('resume') && toState('active', 'Resume')}${can('pause') && toState('paused', 'Pause')}${can('end') && html`<details class="confirm"><summary>End</summary><p>It ends for good, and what it holds of the inventory is free for others.</p>${toState('ended', 'End it for good', 'danger')}</details>`}${can('cancel') && html`<details class="confirm"><summary>Cancel</summary><p>Its advertiser cancels: it ends for good. ${cancellation.length === 0 && 'Nothing is owed for that.'}</p>${cancellation.map((line) => html`<p>${line.line_id}: ${money(line.owed, currency)} are charged${line.free_until !== null && html`; free until ${moment(line.free_until)}`}. ${line.rule}</p>`)}${toState('canceled', 'Cancel for the advertiser', 'danger')}</details>`}`
}

const DONE_BY = { paused: 'paused', active: 'resumed', ended: 'ended', canceled: 'canceled' } as const

async function changeState(call: TenantCall): Promise<Answer> {
  const { params, base, form } = call
  const { order = '', state = '' } = params
  if (!changeDirectOrder.fields.state.check(state))
    throw new AdcpError('REFERENCE_NOT_FOUND', `"${state}" is nothing that can be done to a direct order`)
  const revision = inputOf(form, 'revision', changeDirectOrder.fields.revision)
  await doAct(call, changeDirectOrder, { order, state, revision })
  return redirect(`${base}/direct-orders/${encodeURIComponent(order)}`, DONE_BY[state])
}

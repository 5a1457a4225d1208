import { isDay } from '../../domain/calendar/instant.ts'
import type { Act } from '../../operator/act.ts'
import { bringOrders } from '../../operator/ad-servers/order-acts.ts'
import { adoptDrift } from '../../operator/ad-servers/sync-orders.ts'
import { enterDirectOrder } from '../../operator/direct-orders/enter-direct-order.ts'
import type { FieldSet } from '../../operator/fields.ts'
import { showOrderTerms } from '../../operator/order-terms/order-terms.ts'
import { cancelOrder, extendOrder, pauseOrder, previewOrderChange, resumeOrder } from '../../operator/orders/change-order.ts'
import { nameOrderParts } from '../../operator/orders/name-order-parts.ts'
import { nameOrders } from '../../operator/orders/name-orders.ts'
import { listNotes, noteOrder } from '../../operator/orders/note-order.ts'
import { showOrderRecords } from '../../operator/orders/order-records.ts'
import type { ChangedOrder, OrderAction, ShownOrder } from '../../operator/orders/order-shapes.ts'
import { orderHistory, showOrder } from '../../operator/orders/show-order.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { decideUnlessDecided } from '../decide-once.ts'
import { actRoute, doAct, doOnce, may } from '../do-act.ts'
import { inputOf, written } from '../form-text.ts'
import { count, day, flightDay, moment, money, percent, words } from '../format.ts'
import { type Html, html } from '../html.ts'
import { zoneOf } from '../local-times.ts'
import { notesPanel } from '../parts/order-notes.ts'
import { packageTable } from '../parts/order-packages.ts'
import { ORDER_PAGES } from '../parts/order-pages.ts'
import { type AdoptButton, orderRecordPanels } from '../parts/order-records.ts'
import { pacingBar, pacingText } from '../parts/pacing.ts'
import { act, csrfField, empty, facts, field, figure, heading, limits, statusBadge, table } from '../parts/parts.ts'
import { statementsPanel } from '../parts/statement-table.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'
import { ENTER_PATH } from './direct-order-form.ts'
import { termsPanel } from './order-terms.ts'

/** In their order on the page. */
const BUTTONS = ['pause', 'resume', 'extend', 'cancel'] as const
/** The act of each button. */
const ACTS: Readonly<Record<OrderAction, Act<FieldSet, ChangedOrder>>> = {
  pause: pauseOrder,
  resume: resumeOrder,
  extend: extendOrder,
  cancel: cancelOrder,
}

/** One order, and what the publisher can do to it: each act shows its consequences before it is confirmed. */
export const orderRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/orders/{id}', showOrder, orderPage),
  actRoute('POST', '/orders/{id}/notes', noteOrder, answerNote),
  ...BUTTONS.flatMap((action) => [
    actRoute('GET', `/orders/{id}/${action}`, ACTS[action], (call) => confirmPage(call, action)),
    actRoute('POST', `/orders/{id}/${action}`, ACTS[action], (call) => answerAction(call, action)),
  ]),
  actRoute('POST', '/orders/{id}/try-again', bringOrders, answerTryAgain),
  actRoute('POST', '/orders/{id}/drift/{drift}/adopt', adoptDrift, answerAdopt),
]

/** What each act means for the order and its buyer. */
const CONSEQUENCES: Readonly<Record<OrderAction, string>> = {
  pause:
    'Delivery stops until somebody resumes the order. The end of the flight stays as it is, so what is missed may not be made up. The buyer is notified.',
  resume: 'The order delivers again until the end of its flight. The buyer is notified.',
  extend: 'The order runs longer at the same budget, so it delivers less a day. The buyer is notified.',
  cancel:
    'The order ends for good: it cannot be resumed. What was delivered is billed; what it has reserved is free for others. The buyer owes no fee when you cancel; one that is agreed is entered under Charges and credits. The buyer is notified.',
}
const ACTIONS: Readonly<Record<OrderAction, string>> = { pause: 'Pause', resume: 'Resume', extend: 'Extend', cancel: 'Cancel' }

async function orderPage(call: TenantCall): Promise<Answer> {
  const { operator, tenantId, params } = call
  const id = params.id ?? ''
  // One address for orders of every origin: what people entered or adopted has a page of its own.
  const { origin } = await doAct(call, showOrderTerms, { order: id })
  if (origin !== 'buyer')
    return redirect(`${call.base}/${ORDER_PAGES[origin]}/${encodeURIComponent(id)}${call.query.size > 0 ? `?${call.query}` : ''}`)
  const order = await doAct(call, showOrder, { order: id })
  const { items: history } = await doAct(call, orderHistory, { order: id })
  const records = await doAct(call, showOrderRecords, { order: id })
  const { items: notes } = await doAct(call, listNotes, { order: id })
  const names = await nameOrderParts(operator, tenantId, order)
  const title = order.advertiser ?? order.media_buy_id
  const changes = history.map(({ at, actor, person, summary }) => [
    moment(at),
    html`${words(actor)}${person !== null && html`<small>${person}</small>`}`,
    summary,
  ])
  const body = html`${heading(html`${title} ${statusBadge(order.status)}`, actionLinks(call, order), order.media_buy_id)}
${order.rejection && html`<p class="notice bad">Rejected: ${order.rejection.reason}</p>`}
${order.cancellation && html`<p class="notice warn">Canceled by the ${order.cancellation.by} on ${day(order.cancellation.at)}${order.cancellation.reason !== null && html`: ${order.cancellation.reason}`}</p>`}
<div class="figures">
${figure('Spent', money(order.spent, order.currency), `${percent(order.pacing.recognized)} of ${money(order.budget, order.currency)}`)}
${figure('Delivered', percent(order.pacing.delivered), `${percent(order.pacing.expected)} planned by now`)}
${figure('Impressions', count(order.impressions))}
${figure('Last day', flightDay(order.flight.last), html`from ${flightDay(order.flight.first)}, ${percent(order.pacing.elapsed)} passed`)}
</div>
<section class="panel"><h2>Pacing: ${pacingText(order.pacing)}</h2>${pacingBar(order.pacing)}${forecast(order)}</section>
<section class="panel"><h2>About</h2>${facts([
    ['Buyer', html`<a href="${call.base}/buyers/${encodeURIComponent(order.buyer)}">${order.buyer_name}</a>`],
    [
      'Account',
      names.account ? html`${names.account}<small class="id" title="${order.account}">${order.account}</small>` : order.account,
    ],
    ['Name', order.name],
    ['Purchase order', order.po_number],
    ['Sandbox', order.sandbox ? 'yes: simulated money' : undefined],
    ['Proposal', order.proposal_id],
    ['Plan of the buyer', order.plan_id],
    ['Confirmed', order.confirmed_at === null || order.confirmed_at === undefined ? undefined : moment(order.confirmed_at)],
    ['In the ad server', order.ad_server_order_id],
    ['Revision', order.revision],
  ])}</section>
<section class="panel"><h2>Packages</h2>${packageTable(call, order, names)}</section>
${delivery(order)}
${orderRecordPanels(records, { base: call.base, currency: order.currency, zone: zoneOf(call), tryAgain: tryAgain(call, id), adopt: adoptButton(call, id) })}
${await statementsPanel(call, { order: id })}
${await termsPanel(call, id)}
${notesPanel(call, id, notes)}
<section class="panel"><h2>History</h2>${table('History', ['When', 'Who', 'What'], changes)}</section>`
  return page(title, body, { charts: order.days.length + records.hours.length > 0 })
}

function actionLinks(call: TenantCall, { possible_actions: possible, media_buy_id: id }: ShownOrder): Html {
  const path = `${call.base}/orders/${encodeURIComponent(id)}`
  const copy =
    may(call, enterDirectOrder) &&
    html`<a class="button" href="${call.base}${ENTER_PATH}?copy=${encodeURIComponent(id)}">Copy</a>`
  const actions = BUTTONS.filter((action) => possible.includes(action) && may(call, ACTS[action]))
  return html`${actions.map((action) => html`<a class="button" href="${path}/${action}">${ACTIONS[action]}</a>`)}${copy}`
}

/** At the speed until now. */
function forecast({ pacing, budget, currency }: ShownOrder): Html | false {
  if (pacing.elapsed <= 0 || pacing.elapsed >= 1) return false
  const end = Math.min(1, pacing.recognized / pacing.elapsed)
  return html`<p class="soft">At this speed ${percent(end)} of the budget, ${money(end * budget, currency)}, is spent at the end.</p>`
}

function delivery({ days, currency }: ShownOrder): Html {
  if (days.length === 0) return empty('Nothing delivered yet', 'Delivery by day appears here once the order runs.')
  const rows = days.map(
    (each) =>
      html`<tr><td data-value="${each.day}">${day(each.day)}</td><td class="number" data-value="${each.spent}">${money(each.spent, currency)}</td><td class="number" data-value="${each.impressions}">${count(each.impressions)}</td><td class="number" data-value="${each.clicks}">${count(each.clicks)}</td></tr>`,
  )
  return html`<section class="panel"><h2>Spend by day</h2><div class="chart" data-table="days" data-column="1"></div>
<details><summary>Numbers</summary><div class="scroll" role="region" aria-label="Delivery by day" tabindex="0"><table id="days"><thead><tr><th scope="col">Day</th><th scope="col" class="number">Spent</th><th scope="col" class="number">Impressions</th><th scope="col" class="number">Clicks</th></tr></thead><tbody>${rows}</tbody></table></div></details></section>`
}

/** What an act would come to, and the form that confirms it. */
async function confirmPage(call: TenantCall, action: OrderAction): Promise<Answer> {
  const { operator, tenantId, params, query, base } = call
  const mediaBuyId = params.id ?? ''
  const zone = zoneOf(call)
  const until = query.get('until') ?? ''
  const back = `${base}/orders/${encodeURIComponent(mediaBuyId)}`
  if (action === 'extend' && !isDay(until)) {
    const { flight } = await doAct(call, showOrder, { order: mediaBuyId })
    const refused = until !== '' && html`<p class="notice bad" role="alert">${noDay(until)}</p>`
    const form = html`${heading('Extend the order', undefined, mediaBuyId)}<section class="panel narrow">${refused}<form method="get" action="${back}/extend">${field('until', `Last day of the flight, in ${zone}`, { type: 'date', value: flight.last.day, required: true })}<button class="primary">Show what that means</button></form></section>`
    return page('Extend the order', form)
  }
  const endsAt = action === 'extend' ? until : undefined
  const shown = await doAct(call, previewOrderChange, { order: mediaBuyId, action, ends_at: endsAt })
  const order = (await nameOrders(operator, tenantId, [mediaBuyId])).get(mediaBuyId)
  const title = `${ACTIONS[action]} the order`
  const body = html`${heading(title, undefined, [order?.advertiser, mediaBuyId].filter((text) => text !== undefined).join(' · '))}
<section class="panel narrow"><h2>What happens</h2><p>${CONSEQUENCES[action]}</p>
${facts([
  ['Budget', money(shown.budget, shown.currency)],
  ['Spent', money(shown.spent, shown.currency)],
  [action === 'cancel' ? 'Given up' : 'Still to be spent', money(shown.unspent, shown.currency)],
  ['Impressions that others can have', shown.released_impressions > 0 ? count(shown.released_impressions) : undefined],
  ['Last day before', action === 'extend' ? flightDay(shown.flight_before.last) : undefined],
  ['Last day after', action === 'extend' ? flightDay(shown.flight_after.last) : undefined],
])}
${shown.changed ? html`<ul class="changes">${shown.history.map((line) => html`<li>${line}</li>`)}</ul>` : html`<p class="notice warn">It is so already: nothing would change.</p>`}
<form method="post" action="${back}/${action}">${csrfField(call)}<input type="hidden" name="revision" value="${shown.revision}">${endsAt !== undefined && html`<input type="hidden" name="until" value="${until}">`}
<div class="field"><label for="reason">Reason, for the buyer and the history</label><textarea id="reason" name="reason"${limits(cancelOrder.fields.reason, action === 'cancel')}></textarea></div>
<button class="${action === 'cancel' ? 'danger' : 'primary'}">${title}</button> <a class="button" href="${back}">Leave it as it is</a></form></section>`
  return page(title, body)
}

async function answerNote(call: TenantCall): Promise<Answer> {
  const order = call.params.id ?? ''
  const isNew = await doOnce(call, noteOrder, { order, note: call.form.get('note') ?? undefined })
  return redirect(`${call.base}/orders/${encodeURIComponent(order)}`, isNew ? 'noted' : 'before')
}

function tryAgain(call: TenantCall, id: string): Html | undefined {
  if (!may(call, bringOrders)) return undefined
  return act(call, `${call.base}/orders/${encodeURIComponent(id)}/try-again`, 'Try again', {
    name: 'Bring the order to its ad server again',
  })
}

/** Brings the order to its ad servers now, as `sales-agent adservers sync` does. */
async function answerTryAgain(call: TenantCall): Promise<Answer> {
  const mediaBuyId = call.params.id ?? ''
  await doAct(call, bringOrders, { order: mediaBuyId })
  return redirect(`${call.base}/orders/${encodeURIComponent(mediaBuyId)}`, 'tried')
}

function adoptButton(call: TenantCall, id: string): AdoptButton | undefined {
  if (!may(call, adoptDrift)) return undefined
  const drift = `${call.base}/orders/${encodeURIComponent(id)}/drift`
  return (driftId, name) => act(call, `${drift}/${encodeURIComponent(driftId)}/adopt`, 'Take it over', { name })
}

/** What someone changed there is wanted from now on, as with `sales-agent adservers adopt`. */
async function answerAdopt(call: TenantCall): Promise<Answer> {
  const { params, base } = call
  await doAct(call, adoptDrift, { drift: params.drift })
  return redirect(`${base}/orders/${encodeURIComponent(params.id ?? '')}`, 'adopted')
}

async function answerAction(call: TenantCall, action: OrderAction): Promise<Answer> {
  const { params, form, base } = call
  const order = params.id ?? ''
  const members = {
    order,
    reason: written(form, 'reason'),
    revision: inputOf(form, 'revision', pauseOrder.fields.revision),
    ...(action === 'extend' && { ends_at: lastDayIn(form) }),
  }
  const { changed } = await decideUnlessDecided(call, [order], () => doAct(call, ACTS[action], members))
  return redirect(`${base}/orders/${encodeURIComponent(order)}`, changed ? DONE_BY[action] : 'unchanged')
}

const DONE_BY = { pause: 'paused', resume: 'resumed', cancel: 'canceled', extend: 'changed' } as const

/** The last day that a form asks for. Throws INVALID_REQUEST for what is no day of the calendar. */
function lastDayIn(form: URLSearchParams): string {
  const day = form.get('until') ?? ''
  if (!isDay(day)) throw new AdcpError('INVALID_REQUEST', noDay(day), { field: 'until' })
  return day
}

function noDay(text: string): string {
  return text === '' ? 'The last day is missing.' : `There is no day ${text}: write a day of the calendar as YYYY-MM-DD.`
}

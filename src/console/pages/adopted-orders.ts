import { groupBy } from '../../domain/group-by.ts'
import { listExistingLines } from '../../operator/ad-servers/inventory-acts.ts'
import { adoptOrder, previewAdoption, showAdoptedOrder } from '../../operator/adopted-orders/adopt-order.ts'
import type { ShownAdoptedOrder, ShownAdoption } from '../../operator/adopted-orders/adopted-order-shapes.ts'
import { listNotes } from '../../operator/orders/note-order.ts'
import { statusOf } from '../../operator/refusal-status.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { actRoute, doAct, may } from '../do-act.ts'
import { written } from '../form-text.ts'
import { count, flightDays, moment, money, unitPrice } from '../format.ts'
import { type Html, html } from '../html.ts'
import { notesPanel } from '../parts/order-notes.ts'
import { pacingBar, pacingText } from '../parts/pacing.ts'
import { csrfField, empty, facts, field, heading, pager, statusBadge, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'
import { termsPanel } from './order-terms.ts'

/** The page with the orders of an ad server, below that of its publisher. */
function therePath(name: string): string {
  return `/settings/ad-servers/${encodeURIComponent(name)}/orders`
}

/** The page that adopts an order of an ad server, or reads it again. */
function adoptPath(name: string, there: string): string {
  return `${therePath(name)}/${encodeURIComponent(there)}/adopt`
}

/** Orders that people booked in an ad server: found there, taken into the book, and shown. */
export const adoptedOrderRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/settings/ad-servers/{name}/orders', listExistingLines, therePage),
  actRoute('GET', '/settings/ad-servers/{name}/orders/{there}/adopt', previewAdoption, (call) => adoptPage(call)),
  actRoute('POST', '/settings/ad-servers/{name}/orders/{there}/adopt', adoptOrder, adopt),
  actRoute('GET', '/adopted-orders/{order}', showAdoptedOrder, orderPage),
]

async function therePage(call: TenantCall): Promise<Answer> {
  const { base, query, params } = call
  const { name = '' } = params
  const cursor = query.get('cursor') || undefined
  const { items: lines, next_cursor: next } = await doAct(call, listExistingLines, { name, cursor })
  const rows = [...groupBy(lines, ({ order_id: id }) => id)].map(([id, [first, ...others]]) => [
    html`${first?.order_name}<small class="id">${id}</small>`,
    html`${[first, ...others].map((line) => html`<div>${line?.name}</div>`)}`,
    whereTo(call, name, id, first),
  ])
  const lead =
    'Lines that are booked at the ad server, by order. Adopting an order changes nothing there: its delivery is imported, and it is in reports, pacing and invoices from then on.'
  const list = rows.length === 0 ? empty('No orders on this page') : table('Orders there', ['Order', 'Lines', ''], rows)
  return page(
    `Orders of ${name}`,
    html`${heading(`Orders of ${name}`, undefined, lead)}${list}${pager(`${base}${therePath(name)}`, query, next)}`,
  )
}

function whereTo(
  call: TenantCall,
  name: string,
  id: string,
  line: { readonly is_ours: boolean; readonly adopted_as?: string | undefined } | undefined,
): Html {
  const { base } = call
  if (line?.is_ours) return html`booked by this program`
  const known = line?.adopted_as
  const again = html`<a class="button" href="${base}${adoptPath(name, id)}">${known === undefined ? 'Adopt' : 'Read again'}</a>`
  const button = may(call, adoptOrder) ? again : ''
  return known === undefined
    ? html`${button}`
    : html`<a href="${base}/adopted-orders/${encodeURIComponent(known)}">${known}</a> ${button}`
}

/** Fields of the form. */
const FIELDS = ['order_id', 'billed_party', 'billed_from'] as const

function askedOf({ form, params }: TenantCall) {
  const { name = '', there = '' } = params
  const [orderId, party, billedFrom] = FIELDS.map((each) => written(form, each))
  return { name, there, order_id: orderId, billed_party: party, billed_from: billedFrom }
}

/** Whether a person can mend it in the form; an order that is not there has no form. */
function isMendable(error: unknown): error is AdcpError {
  return error instanceof AdcpError && FIELDS.some((each) => each === error.field)
}

/** What adopting an order comes to, with the form that does it. */
async function adoptPage(call: TenantCall, refusal?: AdcpError): Promise<Answer> {
  const values = askedOf(call)
  let found: ShownAdoption | undefined
  let refused = refusal
  try {
    found = refusal ? undefined : await doAct(call, previewAdoption, values)
  } catch (error) {
    if (!isMendable(error)) throw error
    refused = error
  }
  const title = found && !found.is_new ? `Read ${found.order.name} again` : `Adopt order ${values.there}`
  const fields =
    found?.is_new !== false &&
    html`${field('order_id', 'Id here', { value: values.order_id ?? '', of: adoptOrder.fields.order_id, hint: 'Empty: the name of the ad server with the id there.' })}
${field('billed_party', 'Billed to', { value: values.billed_party ?? '', of: adoptOrder.fields.billed_party, hint: 'As your direct orders name the advertiser; empty: as the ad server names it.' })}
${field('billed_from', 'Billed from', { type: 'month', value: values.billed_from ?? '', hint: 'What was delivered in earlier months is billed elsewhere; empty: this month.' })}`
  const form = html`<form class="narrow" method="post" action="${call.base}${adoptPath(values.name, values.there)}">${csrfField(call)}${fields}<button class="primary">${found?.is_new === false ? 'Read it again' : 'Adopt the order'}</button></form>`
  const lead = 'Nothing is stored yet, and nothing is changed at the ad server.'
  const body = html`${heading(title, undefined, lead)}${refused && html`<p class="notice bad" role="alert">${refused.message}</p>`}
${found && html`<section class="panel"><h2>${found.order.name}</h2>${aboutOrder(found.order)}${linesOf(found.order)}</section>${notAdopted(found)}`}<section class="panel">${form}</section>`
  return page(title, body, { status: refused ? statusOf(refused) : 200 })
}

function notAdopted({ left_out: leftOut, price_there: prices }: ShownAdoption): Html {
  const left = leftOut.map(({ line_id: id, name, reason }) => [html`${name}<small class="id">${id}</small>`, reason])
  const other = prices.map(({ line_id: id, adopted, there }) => [id, adopted, there])
  return html`${left.length > 0 && html`<section class="panel"><h2>Left out</h2>${table('Left out', ['Line', 'Why'], left)}</section>`}
${other.length > 0 && html`<section class="panel"><h2>Another price at the ad server</h2><p>What was adopted is charged. A difference can be entered as a charge or a credit.</p>${table('Prices', ['Line', 'Adopted', 'There'], other)}</section>`}`
}

async function adopt(call: TenantCall): Promise<Answer> {
  const { base } = call
  try {
    const { order, is_new: isNew } = await doAct(call, adoptOrder, askedOf(call))
    return redirect(`${base}/adopted-orders/${encodeURIComponent(order.order_id)}`, isNew ? 'added' : 'changed')
  } catch (error) {
    if (!isMendable(error)) throw error
    return adoptPage(call, error)
  }
}

async function orderPage(call: TenantCall): Promise<Answer> {
  const order = await doAct(call, showAdoptedOrder, { order: call.params.order ?? '' })
  const { items: notes } = await doAct(call, listNotes, { order: order.order_id })
  const readings = order.adoptions.map(({ at, person }) => [moment(at), person.replace(/^console:/, '')])
  const again =
    may(call, adoptOrder) &&
    html`<a class="button" href="${call.base}${adoptPath(order.ad_server, order.ad_server_order_id)}">Read it again</a>`
  const body = html`${heading(html`${order.name} ${statusBadge(order.status)}`, html`${again}`, order.order_id)}
<section class="panel"><h2>About</h2>${aboutOrder(order)}</section>
<section class="panel"><h2>Lines</h2>${linesOf(order)}</section>
${await termsPanel(call, order.order_id)}
${notesPanel(call, order.order_id, notes)}
<section class="panel"><h2>Read from the ad server</h2>${table('Read', ['When', 'Who'], readings)}</section>`
  return page(order.name, body)
}

function aboutOrder(order: ShownAdoptedOrder): Html {
  return facts([
    ['Advertiser', order.advertiser],
    ['Currency', order.currency],
    ['Ad server', html`${order.ad_server}, order ${order.ad_server_order_id}`],
    ['Billed from', order.billed_from],
  ])
}

function linesOf({ lines, currency }: ShownAdoptedOrder): Html {
  const rows = lines.map((line) => [
    html`${line.name}<small class="id">${line.line_id}</small>${line.fault !== null && html`<small>${line.fault}</small>`}`,
    statusBadge(line.status),
    flightDays(line.flight),
    html`${unitPrice(line.day_rate ?? line.rate, currency)}<small>${line.day_rate === null ? line.pricing_model.toUpperCase() : 'per day'}</small>`,
    html`${pacingBar(line.pacing)}<small>${pacingText(line.pacing)}</small>`,
    html`${count(line.impressions)}${line.goal !== null && html`<small>goal: ${count(line.goal.units)} ${line.goal.counts.replace('_', ' ')}</small>`}`,
    count(line.clicks),
    money(line.charged, currency),
  ])
  const numbers = ['Impressions', 'Clicks', 'Charged'].map((title) => ({ title, numeric: true }))
  return table('Lines', ['Line', 'Status', 'Flight', 'Price', 'Pacing', ...numbers], rows)
}

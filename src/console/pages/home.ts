import { listChangesThere } from '../../operator/ad-servers/order-acts.ts'
import { listOpenDecisions, type OpenDecision } from '../../operator/approvals/open-decisions.ts'
import { type LineBehind, linesBehind } from '../../operator/direct-orders/direct-progress.ts'
import { publisherCalendar } from '../../operator/flight.ts'
import { listOrders } from '../../operator/order-list/list-orders.ts'
import type { ListedOrder } from '../../operator/order-list/listed-order.ts'
import { orderOffPlan, SOON_TEXT, startsSoonWithoutCreatives } from '../../operator/orders/off-plan.ts'
import { type RecentRevenue, recentRevenue } from '../../operator/reports/recent-revenue.ts'
import type { Of } from '../../operator/shape.ts'
import { listWebhooks } from '../../operator/webhooks/list-webhooks.ts'
import { doAct } from '../do-act.ts'
import { flightDay, moment, money, percent } from '../format.ts'
import { type Html, html } from '../html.ts'
import { ORDER_PAGES } from '../parts/order-pages.ts'
import { pacingBar, pacingText } from '../parts/pacing.ts'
import { empty, figure, heading, table } from '../parts/parts.ts'
import { setupChecklist } from '../parts/setup-checklist.ts'
import { waitingList } from '../parts/waiting-list.ts'
import { type Answer, type ConsoleRoute, page, pageRoute, type TenantCall } from '../route.ts'

/** What needs attention today, on one screen of 1280 × 800. */
export const homeRoutes: readonly ConsoleRoute[] = [pageRoute('/home', homePage)]

/** Rows of a list of the page; the pages behind them have all. */
const SHOWN = 6
/** Running orders that are examined for their pacing, those with the largest budgets first. */
const EXAMINED_ORDERS = 200
const SHOWN_DRIFT = 10

async function homePage(call: TenantCall): Promise<Answer> {
  const { operator, tenantId, base } = call
  const [{ items: waiting }, running, sold, pending, failed, revenue, { items: drift }] = await Promise.all([
    doAct(call, listOpenDecisions, {}),
    doAct(call, listOrders, { origin: ['buyer'], status: ['active'], sort: 'budget', limit: EXAMINED_ORDERS }),
    doAct(call, listOrders, { origin: ['entered', 'adopted'], status: ['active'], sort: 'budget', limit: EXAMINED_ORDERS }),
    // Adopted orders have their creatives at the ad server, which does not tell of them.
    doAct(call, listOrders, {
      origin: ['buyer', 'entered'],
      status: ['pending_creatives'],
      sort: 'end',
      ascending: true,
      limit: EXAMINED_ORDERS,
    }),
    doAct(call, listWebhooks, { state: 'dead' }),
    recentRevenue(operator, tenantId),
    doAct(call, listChangesThere, {}),
  ])
  const off = running.items.filter((order) => orderOffPlan(order) !== undefined).sort(mostOffFirst)
  const now = operator.clock()
  const late = pending.items
    .filter((order) => startsSoonWithoutCreatives(order, now))
    .sort((a, b) => (a.starts_at < b.starts_at ? -1 : 1))
  const named = new Set(late.map(({ media_buy_id: id }) => id))
  const behind = await linesBehind(operator.store.read, tenantId, await publisherCalendar(operator, tenantId), now)
  const direct = behind.filter(({ orderId }) => !named.has(orderId))
  const problems = [...late, ...off]
  const count = problems.length + direct.length
  const run = [...running.items, ...sold.items]
  const more = running.next_cursor === null && sold.next_cursor === null ? '' : '+'
  const body = html`${heading('Home', undefined, `${call.tenant.domain}. Amounts are before discount, commission and tax.`)}
<div class="figures compact">
${[1, 7, 30].map((days) => revenueFigure(days, revenue))}
${figure(
  'Running orders',
  html`<a href="${base}/orders?status=active">${run.length}${more}</a>`,
  html`${off.length + new Set(direct.map(({ orderId }) => orderId)).size} off their plan`,
)}
${figure('Spent', share(run), bookedText(run, more !== ''))}
${figure('Webhooks', html`<a href="${base}/webhooks?state=dead">${failed.items.length}${failed.next_cursor !== null && '+'}</a>`, failed.items.length === 0 ? 'none failed' : 'failed')}
${figure('Ad servers', html`<a href="${drift.length > 0 ? '#drift' : `${base}/settings#ad-servers`}">${drift.length}</a>`, drift.length === 0 ? 'as booked' : 'changed without us')}
</div>
${await setupChecklist(call)}
<div class="columns halves">
${await decisions(call, waiting)}
<section class="panel"><h2>Orders with a problem ${count > 0 && html`<span class="count">${count}</span>`}</h2>${count === 0 ? noProblem(run.length + pending.items.length > 0, running.next_cursor !== null || pending.next_cursor !== null) : problemOrders(call, problems, direct)}<p class="foot"><a href="${base}/reports/shortfalls">What ended with less than was ordered</a></p></section>
</div>
${drift.length > 0 && driftTable(call, drift)}`
  return page('Home', body)
}

/** `isPart`: there are more orders than those that were examined. */
function noProblem(hasOrders: boolean, isPart: boolean): Html {
  const examined = isPart ? `Of the ${EXAMINED_ORDERS} largest running orders each` : 'Every running order'
  const waiting = isPart ? `Of the next ${EXAMINED_ORDERS} that wait for creatives none` : 'No order that waits for creatives'
  return hasOrders
    ? empty(
        `${examined} delivers as planned`,
        `${waiting} starts within ${SOON_TEXT}. Running orders are judged after a tenth of their flight; sandbox orders are not.`,
      )
    : empty('No order runs now', 'Those that deliver off their plan, or start without creatives, appear here.')
}

async function decisions(call: TenantCall, waiting: readonly OpenDecision[]): Promise<Html> {
  const now = call.operator.clock()
  const list = waiting.length === 0 ? empty('Nothing needs a decision') : await waitingList(call, waiting.slice(0, SHOWN), now)
  const all =
    waiting.length > 0 &&
    html`<p class="foot"><a href="${call.base}/inbox">Decide in the inbox${waiting.length > SHOWN && html`: all ${waiting.length}`}</a></p>`
  return html`<section class="panel"><h2>What needs a decision ${waiting.length > 0 && html`<span class="count">${waiting.length}</span>`}</h2>${list}${all}</section>`
}

/** The order that is furthest from its plan comes first. */
function mostOffFirst({ pacing: a }: ListedOrder, { pacing: b }: ListedOrder): number {
  return Math.abs(b.delivered - b.expected) - Math.abs(a.delivered - a.expected)
}

/** What is wrong with an order, and by when it matters. */
function problemOf({ status, pacing, starts_at: start, flight: { first, last } }: ListedOrder, now: Date): Html {
  if (status !== 'pending_creatives') return html`${pacingText(pacing)} · last day ${flightDay(last)}`
  return html`no creatives · ${start <= now.toISOString() ? 'should run since' : 'starts'} ${flightDay(first)}`
}

function problemOrders({ base, operator }: TenantCall, orders: readonly ListedOrder[], direct: readonly LineBehind[]): Html {
  const now = operator.clock()
  const rows = orders
    .slice(0, SHOWN)
    .map(
      (order) =>
        html`<li><div><a href="${base}/${ORDER_PAGES[order.origin]}/${encodeURIComponent(order.media_buy_id)}">${order.advertiser ?? order.media_buy_id}</a><small>${order.buyer_name ?? `direct order ${order.media_buy_id}`} · ${problemOf(order, now)}</small></div><div class="end">${pacingBar(order.pacing)}<small>${percent(order.pacing.delivered)} of ${percent(order.pacing.expected)}</small></div></li>`,
    )
  const directRows = direct
    .slice(0, Math.max(0, SHOWN - rows.length))
    .map(
      ({ origin, orderId, lineId, lacksCreatives, advertiser, pacing, flight }) =>
        html`<li><div><a href="${base}/${ORDER_PAGES[origin]}/${encodeURIComponent(orderId)}">${advertiser}</a><small>${origin === 'adopted' ? 'adopted' : 'direct'} order ${orderId}, ${lineId} · ${lacksCreatives ? 'no creatives' : pacingText(pacing)} · last day ${flightDay(flight.last)}</small></div><div class="end">${pacingBar(pacing)}<small>${percent(pacing.delivered)} of ${percent(pacing.expected)}</small></div></li>`,
    )
  const others = orders.length + direct.length - rows.length - directRows.length
  return html`<ul class="lines">${rows}${directRows}</ul>${others > 0 && html`<p class="foot">And ${others} more among <a href="${base}/orders?status=active&amp;sort=budget">active orders</a> and <a href="${base}/orders?status=pending_creatives&amp;sort=end">those without creatives</a>, and <a href="${base}/direct-orders">direct orders</a></p>`}`
}

/** What somebody changed at an ad server; the page of the order has all of it. */
function driftTable({ base }: TenantCall, drift: Of<(typeof listChangesThere)['answer']>['items']): Html {
  const rows = drift
    .slice(0, SHOWN_DRIFT)
    .map((each) => [
      html`<a href="${base}/orders/${encodeURIComponent(each.media_buy_id)}">${each.media_buy_id}</a>`,
      html`${each.ad_server}<small>${each.subject}</small>`,
      each.field,
      moment(each.found_at),
    ])
  return html`<h2 id="drift">Changed at the ad server without us</h2>${table('Changes at ad servers', ['Order', 'Where', 'Field', 'Found'], rows)}`
}

/** Revenue of the last days in every currency, each with how it compares with the days before. */
function revenueFigure(days: number, revenue: readonly RecentRevenue[]): Html {
  const title = days === 1 ? 'Revenue today' : `In ${days} days`
  const own = revenue.filter((each) => each.days === days)
  if (own.length === 0) return figure(title, '–', 'none yet')
  const amounts = own.map(({ currency, revenue: amount }) => amountLine(money(amount, currency)))
  return figure(title, html`${amounts}`, html`${own.map((each) => html`<span class="line">${comparison(each)}</span>`)}`)
}

/** Characters that fit a figure at 1,280 px in its own letters, and in smaller ones. */
const ROOM = { own: 9, long: 12 }

/** An amount in letters of a size in which it fits. */
function amountLine(amount: string): Html {
  const size = amount.length > ROOM.long ? ' longest' : amount.length > ROOM.own ? ' long' : ''
  return html`<span class="line${size}">${amount}</span>`
}

function comparison({ currency, days, revenue, before }: RecentRevenue): string {
  const than = days === 1 ? 'yesterday' : `the ${days} before`
  if (before === 0) return `${money(0, currency)} ${than}`
  const change = revenue / before - 1
  return `${change < 0 ? '−' : '+'}${Math.round(Math.abs(change) * 100)} % on ${than}`
}

/** The share of the budgets that is spent, by currency. */
function share(orders: readonly ListedOrder[]): Html | string {
  const sums = sumsOf(orders)
  if (sums.size === 0) return '–'
  return html`${[...sums.values()].map(({ spent, budget }) => html`<span class="line">${percent(budget === 0 ? 0 : spent / budget)}</span>`)}`
}

/** `isPart`: there are more orders than those that were added up. */
function bookedText(orders: readonly ListedOrder[], isPart: boolean): Html | string {
  const sums = sumsOf(orders)
  if (sums.size === 0) return 'nothing is booked'
  const booked = [...sums].map(([currency, { budget }]) => html`<span class="line">of ${money(budget, currency)} booked</span>`)
  return html`${booked}${isPart && html`<span class="line">in the ${EXAMINED_ORDERS} largest orders of buyers and of people</span>`}`
}

/** By currency; an order without a budget has no share of one. */
function sumsOf(orders: readonly ListedOrder[]): ReadonlyMap<string, { readonly spent: number; readonly budget: number }> {
  const sums = new Map<string, { spent: number; budget: number }>()
  for (const { currency, spent, budget } of orders) {
    if (budget === null) continue
    const before = sums.get(currency) ?? { spent: 0, budget: 0 }
    sums.set(currency, { spent: before.spent + spent, budget: before.budget + budget })
  }
  return sums
}

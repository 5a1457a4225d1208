import { showDrift } from '../../operator/ad-servers/show-ad-servers.ts'
import { listKeys } from '../../operator/keys/list-keys.ts'
import { listOrders, type OrderRow } from '../../operator/orders/list-orders.ts'
import { listPrincipals } from '../../operator/principals/list-principals.ts'
import { listProducts } from '../../operator/products/list-products.ts'
import { type RecentRevenue, recentRevenue } from '../../operator/reports/recent-revenue.ts'
import { listWebhooks } from '../../operator/webhooks/list-webhooks.ts'
import { moment, money } from '../format.ts'
import { type Html, html } from '../html.ts'
import { listWaiting } from '../list-waiting.ts'
import { decisionCards } from '../parts/decision-card.ts'
import { badge, empty, figure, heading, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, READERS, type TenantCall, tenantRoute } from '../route.ts'
import { orderTable } from './orders.ts'

/** What needs attention today. */
export const homeRoutes: readonly ConsoleRoute[] = [tenantRoute('GET', '/home', READERS, homePage)]

/** Decisions that the page shows; the inbox has all. */
const SHOWN_DECISIONS = 3
/** Running orders that are examined for their pacing, those with the largest budgets first. */
const EXAMINED_ORDERS = 200
const SHOWN_ORDERS = 10

async function homePage(call: TenantCall): Promise<Answer> {
  const { operator, tenantId, base } = call
  const [waiting, running, failed, revenue, drift] = await Promise.all([
    listWaiting(call),
    listOrders(operator, { tenantId, statuses: ['active'], sort: 'budget', limit: EXAMINED_ORDERS }),
    listWebhooks(operator, { tenantId, state: 'dead', limit: 50 }),
    recentRevenue(operator, tenantId),
    showDrift(operator, tenantId, { all: false }),
  ])
  const off = running.orders.filter(({ pacing }) => pacing.state === 'behind' || pacing.state === 'ahead')
  const more = running.next_cursor === null ? '' : '+'
  const now = operator.clock()
  const body = html`${heading('Home', undefined, call.tenant.domain)}
<div class="figures">
${figure('Decisions', html`<a href="${base}/inbox">${waiting.length}</a>`, waiting.length === 0 ? 'nothing waits' : 'in the inbox')}
${figure('Running orders', html`<a href="${base}/orders?status=active">${running.orders.length}${more}</a>`, `${off.length} off their plan`)}
${figure(
  'Booked',
  amounts(running.orders, ({ budget }) => budget),
  'budget of running orders',
)}
${figure(
  'Spent',
  amounts(running.orders, ({ spent }) => spent),
  'of it',
)}
${drift.length > 0 && figure('Ad server', html`<a href="#drift">${drift.length}</a>`, 'changes there without us')}
${figure('Failed webhooks', html`<a href="${base}/webhooks?state=dead">${failed.length}${failed.length === 50 && '+'}</a>`, failed.length === 0 ? 'all are delivered' : 'given up')}
</div>
${revenue.length > 0 && html`<div class="figures">${revenue.map(revenueFigure)}</div>`}
${await checklist(call)}
<h2>What needs a decision</h2>
${waiting.length === 0 ? empty('Nothing needs a decision') : await decisionCards(call, waiting.slice(0, SHOWN_DECISIONS), now)}
${waiting.length > SHOWN_DECISIONS && html`<p><a href="${base}/inbox">All ${waiting.length} in the inbox</a></p>`}
<h2>Orders off their plan</h2>
${off.length === 0 ? empty('Every running order delivers as planned') : orderTable(call, off.slice(0, SHOWN_ORDERS))}
${drift.length > 0 && driftTable(call, drift)}`
  return page('Home', body)
}

/** What somebody changed at an ad server; the page of the order has all of it. */
function driftTable({ base }: TenantCall, drift: Awaited<ReturnType<typeof showDrift>>): Html {
  const rows = drift
    .slice(0, SHOWN_ORDERS)
    .map((each) => [
      html`<a href="${base}/orders/${encodeURIComponent(each.media_buy_id)}">${each.media_buy_id}</a>`,
      html`${each.ad_server}<small>${each.subject}</small>`,
      each.field,
      moment(each.found_at),
    ])
  return html`<h2 id="drift">Changed at the ad server without us</h2>${table('Changes at ad servers', ['Order', 'Where', 'Field', 'Found'], rows)}`
}

function revenueFigure({ currency, days, revenue, before }: RecentRevenue): Html {
  const title = days === 1 ? 'Revenue today' : `Revenue in ${days} days`
  return figure(title, money(revenue, currency), `${money(before, currency)} ${days === 1 ? 'yesterday' : 'in those before'}`)
}

/** Sums by currency. */
function amounts(orders: readonly OrderRow[], amountOf: (order: OrderRow) => number): Html | string {
  const sums = new Map<string, number>()
  for (const order of orders) sums.set(order.currency, (sums.get(order.currency) ?? 0) + amountOf(order))
  if (sums.size === 0) return '–'
  return html`${[...sums].map(([currency, sum]) => html`<span class="line">${money(sum, currency)}</span>`)}`
}

/** What a new publisher still has to do; nothing once all is done. */
async function checklist({ operator, tenantId, base, role }: TenantCall): Promise<Html | false> {
  if (role !== 'administrator') return false
  const [buyers, keys, products] = await Promise.all([
    listPrincipals(operator, tenantId),
    listKeys(operator, { tenantId }),
    listProducts(operator, { tenantId, limit: 1 }),
  ])
  const steps = [
    ['Products are for sale', products.total > 0, '/products'],
    ['A buyer is known', buyers.length > 0, '/buyers'],
    ['A buyer has a key', keys.some(({ status }) => status === 'active'), '/buyers'],
  ] as const
  if (steps.every(([, isDone]) => isDone)) return false
  return html`<section class="panel"><h2>To begin</h2><ul>${steps.map(([text, isDone, path]) => html`<li>${badge(isDone ? 'done' : 'to do', isDone ? 'good' : 'warn')} <a href="${base}${path}">${text}</a></li>`)}</ul></section>`
}

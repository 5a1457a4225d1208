import { flightDaysText } from '../../domain/calendar/flight-days.ts'
import { availableActions } from '../../domain/media-buy/available-actions.ts'
import { allowedActionsOf } from '../../domain/media-buy/require-actions.ts'
import { findProduct } from '../../store/product/products.ts'
import type { OrderInStatus } from '../../tasks/media-buy/observe-orders.ts'
import { type ActContext, defineAct } from '../act.ts'
import { amountText } from '../amount.ts'
import { required } from '../fields.ts'
import { publisherCalendar } from '../flight.ts'
import { READERS } from '../roles.ts'
import { list, pageOf } from '../shape.ts'
import { idText } from '../text-form.ts'
import { percent, table } from '../text-table.ts'
import { findObservedOrder, findOrder } from './find-order.ts'
import { ORDER_ACTIONS, type OrderAction, orderChangeEntry, orderDetails, type ShownOrder } from './order-shapes.ts'
import { presentOrder } from './present-order.ts'

// Several acts in one file: a list, and one of its items in full.

/** The field that names an order. */
export const ORDER = required(idText('id of the order'))

/** One order with packages, creatives and delivery by day. Throws REFERENCE_NOT_FOUND, SERVICE_UNAVAILABLE. */
export const showOrder = defineAct({
  name: 'orders.show',
  route: 'GET /orders/{order}',
  id: 'showOrder',
  roles: READERS,
  summary: 'One order with packages, creatives and delivery by day.',
  fields: { order: ORDER },
  answer: orderDetails,
  command: { text: orderLines },
  async run(context, { order }) {
    const shown = { now: context.clock(), zone: await publisherCalendar(context, context.tenantId) }
    const found = await findObservedOrder(context, context.tenantId, order)
    return presentOrder(found, shown, await possibleActions(context, found))
  },
})

/** The action of AdCP that each act of the publisher comes to. */
const AS_ACTION: Readonly<Record<OrderAction, string>> = {
  pause: 'pause',
  resume: 'resume',
  extend: 'extend_flight',
  cancel: 'cancel',
}

/** What the status of an order allows, and each of its products. What waits for approval when a buyer does it, the publisher does at once. */
async function possibleActions(
  { store, tenantId }: ActContext,
  { buy, status }: Pick<OrderInStatus, 'buy' | 'status'>,
): Promise<readonly OrderAction[]> {
  const ids = [...new Set(buy.packages.map(({ productId }) => productId))]
  const found = await Promise.all(ids.map((id) => findProduct(store.read, tenantId, id)))
  const products = new Map(found.flatMap((offer) => (offer ? [[offer.product_id, { offer }] as const] : [])))
  const allowed = allowedActionsOf(buy, products)
  const possible = availableActions({ status, paused: buy.paused, modeOf: () => 'self_serve', allowed }).map(
    ({ action }) => action,
  )
  return ORDER_ACTIONS.filter((action) => possible.includes(AS_ACTION[action]))
}

/** Every change of an order, newest first. Throws REFERENCE_NOT_FOUND. */
export const orderHistory = defineAct({
  name: 'orders.history',
  route: 'GET /orders/{order}/history',
  id: 'listOrderHistory',
  roles: READERS,
  summary: 'Every change of an order with who and why, newest first.',
  fields: { order: ORDER },
  answer: pageOf(orderChangeEntry),
  command: {
    columns: [
      ['AT', ({ at }) => at],
      ['REVISION', ({ revision }) => String(revision)],
      ['WHO', ({ actor, person }) => (person === null ? actor : `${actor} (${person})`)],
      ['WHAT', ({ summary, package_id: id }) => (id === null ? summary : `${summary} · ${id}`)],
    ],
  },
  async run(context, { order }) {
    const { buy } = await findOrder(context, context.tenantId, order)
    const entries = buy.history.toReversed().map(({ revision, at, actor, person, action, summary, packageId }) => ({
      ...{ revision, at, actor, person: person ?? null, action, summary, package_id: packageId ?? null },
    }))
    return list(entries)
  },
})

function orderLines(order: ShownOrder): string[] {
  const { currency, pacing } = order
  const money = (amount: number) => `${amountText(amount, currency)} ${currency}`
  const packages = order.packages.map((pkg) => [
    pkg.package_id,
    pkg.product_id,
    pkg.status,
    money(pkg.budget),
    money(pkg.spent),
    String(pkg.impressions),
    pkg.creatives.map(({ creative_id: id, approval }) => `${id} (${approval})`).join(', '),
  ])
  return [
    `${order.media_buy_id}  ${order.status}${order.paused ? ', paused' : ''}  revision ${order.revision}`,
    `buyer ${order.buyer} (${order.buyer_name})  account ${order.account}  advertiser ${order.advertiser ?? ''}`,
    `flight ${flightDaysText(order.flight)} (${order.flight.time_zone})`,
    `budget ${money(order.budget)}  spent ${money(order.spent)} (${percent(pacing.recognized)})  delivered ${percent(pacing.delivered)}, plan ${percent(pacing.expected)}: ${pacing.state}`,
    ...(order.cancellation ? [`canceled by the ${order.cancellation.by}: ${order.cancellation.reason ?? ''}`] : []),
    '',
    ...table(['PACKAGE', 'PRODUCT', 'STATE', 'BUDGET', 'SPENT', 'IMPRESSIONS', 'CREATIVES'], packages),
  ]
}

import type { OrderOrigin } from '../../domain/order/order-origin.ts'
import { linesBehind } from '../direct-orders/direct-progress.ts'
import { publisherCalendar, type ShownFlight } from '../flight.ts'
import type { OperatorContext } from '../operator-context.ts'
import { type FoundLine, findShortLines, SHORTFALL_DAYS } from '../orders/find-shortfalls.ts'
import { orderOffPlan } from '../orders/off-plan.ts'
import type { BuyerOrder } from '../orders/order-shapes.ts'
import { readOrders } from '../orders/read-orders.ts'
import type { Condition } from './condition.ts'

/** An ad server that fails for all of its orders is reported in a few lines, not in thousands. */
const MOST_FOUND = 500

/** Orders of any origin that deliver less than planned while they run, and lines that ended below what was ordered. */
export async function findUnderdelivery(context: OperatorContext, tenantId: string): Promise<readonly Condition[]> {
  const running = [...(await behindOfBuyers(context, tenantId)), ...(await behindOfPeople(context, tenantId))]
  const ended = await findShortLines(context, tenantId, SHORTFALL_DAYS)
  return [...running, ...ended.map(({ shown }) => endedShort(shown, tenantId, context.clock()))]
}

async function behindOfBuyers(context: OperatorContext, tenantId: string): Promise<readonly Condition[]> {
  const found: Condition[] = []
  let cursor: string | undefined
  do {
    const page = await readOrders(context, { tenantId, statuses: ['active'], sort: 'end', ascending: true, limit: 200, cursor })
    for (const order of page.orders)
      if (orderOffPlan(order) === 'behind') found.push(underdelivery(order, tenantId, context.clock()))
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined && found.length < MOST_FOUND)
  return found
}

function underdelivery(order: BuyerOrder, tenantId: string, now: Date): Condition {
  const { media_buy_id: id, pacing, flight, ends_at: end, buyer_name: buyer, budget, currency } = order
  return {
    kind: 'underdelivery',
    key: id,
    subject: id,
    title: `An order of ${buyer} (${budget} ${currency}) delivers less than planned`,
    text: `Order ${id} of ${buyer} ${behindText(pacing, flight)}`,
    path: `/t/${tenantId}/orders/${encodeURIComponent(id)}`,
    at: now.toISOString(),
    expiresAt: end,
  }
}

async function behindOfPeople(context: OperatorContext, tenantId: string): Promise<readonly Condition[]> {
  const now = context.clock()
  const lines = await linesBehind(context.store.read, tenantId, await publisherCalendar(context, tenantId), now)
  return lines.slice(0, MOST_FOUND).map(({ origin, orderId, lineId, lacksCreatives, pacing, flight, endsAt }): Condition => {
    const { order, title, page } = ORIGIN_WORDS[origin](orderId)
    return {
      kind: 'underdelivery',
      key: `${origin === 'entered' ? 'direct' : origin} ${orderId} ${lineId}`,
      subject: orderId,
      title: `${title} delivers less than planned`,
      text: `Line ${lineId} of the ${order} ${lacksCreatives ? 'has no creatives, so that nothing of it is served: it ' : ''}${behindText(pacing, flight)}`,
      path: `/t/${tenantId}/${page}/${encodeURIComponent(orderId)}`,
      at: now.toISOString(),
      expiresAt: endsAt,
    }
  })
}

function behindText({ delivered, expected }: BuyerOrder['pacing'], flight: ShownFlight): string {
  return `has delivered ${percent(delivered)} of what was ordered; planned by now are ${percent(expected)}. Its last day is ${dayText(flight)}.`
}

function endedShort(
  { origin, order_id: id, line_id: line, buyer_name: buyer, ...missed }: FoundLine['shown'],
  tenantId: string,
  now: Date,
): Condition {
  const { unit, ordered, delivered, currency, flight } = missed
  const what = unit === 'money' ? `worth ${delivered} of ${ordered} ${currency}` : `${delivered} of ${ordered} impressions`
  const { order, title, page } = ORIGIN_WORDS[origin](id, buyer ?? '')
  return {
    kind: 'underdelivery',
    key: `ended ${id} ${line}`,
    subject: id,
    title: `${title} ended with less than was ordered`,
    text: `Line ${line} of ${order} delivered ${what}. Its last day was ${dayText(flight)}.`,
    path: `/t/${tenantId}/${page}/${encodeURIComponent(id)}`,
    at: now.toISOString(),
  }
}

/** How a message names an order, by its origin, and the page that it has in the console. */
const ORIGIN_WORDS = {
  buyer: (id: string, buyer: string) => ({ order: `order ${id} of ${buyer}`, title: `An order of ${buyer}`, page: 'orders' }),
  entered: (id: string) => ({ order: `direct order ${id}`, title: `The direct order ${id}`, page: 'direct-orders' }),
  adopted: (id: string) => ({ order: `adopted order ${id}`, title: `The adopted order ${id}`, page: 'adopted-orders' }),
} as const satisfies Readonly<Record<OrderOrigin, (id: string, buyer: string) => object>>

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

/** The last day of a flight as a person reads it: `30 Nov 2026 (Europe/Berlin)`, with its time when it does not have the whole day. */
function dayText({ last: { day, time }, time_zone: zone }: ShownFlight): string {
  const text = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(day))
  return `${text}${time === null ? '' : `, ${time}`} (${zone})`
}

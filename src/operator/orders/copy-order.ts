import { copyOfStored } from '../../ad-serving/embedded/copied-order.ts'
import type { DirectOrder } from '../../ad-serving/embedded/direct-order.ts'
import { DIRECT } from '../../ad-serving/embedded/stored-direct-order.ts'
import { adsOrigin } from '../../config/ads-settings.ts'
import { publicOrigin } from '../../config/config.ts'
import { flightDaysOf, flightDaysText } from '../../domain/calendar/flight-days.ts'
import { nextDay } from '../../domain/calendar/local-time.ts'
import { movedFlights } from '../../domain/calendar/moved-flights.ts'
import type { OrderOrigin } from '../../domain/order/order-origin.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findEmbeddedOrderByAnchor } from '../../store/embedded/orders.ts'
import { getOrderTerms } from '../../store/order/order-terms.ts'
import { type ActContext, defineAct } from '../act.ts'
import { day } from '../fields.ts'
import { publisherCalendar } from '../flight.ts'
import { READERS } from '../roles.ts'
import { about, documentOf, listOf, named, object, string } from '../shape.ts'
import { LONGEST_ORDER_ID, newOrderId } from '../text-form.ts'
import { findOrder } from './find-order.ts'
import { knownOrder } from './known-order.ts'
import { orderOrigin } from './order-shapes.ts'
import { ORDER } from './show-order.ts'

const copyShape = named(
  'OrderCopy',
  object({
    order: about('the order that is copied', string),
    origin: orderOrigin,
    document: documentOf<DirectOrder>(
      'A direct order that is not entered yet: what entering one takes (schemas/direct-order.json).',
    ),
    flights: about('of its lines, in words', listOf(string)),
    left_out: about(
      'what is not in the copy: what a direct order cannot have, who pays and the other terms, and what is not served',
      listOf(string),
    ),
  }),
)

/** Longest name of a direct order, in code points (schemas/direct-order.json). */
const LONGEST_NAME = 200
/** How far ahead a copy may begin: no flight is planned for longer. */
const MOST_YEARS = 10

/**
 * A direct order like one that is there, of a buyer or entered by people, to be looked at and entered: nothing is stored. Buyers order themselves, so the copy of their order is the
 * publisher's own. Throws REFERENCE_NOT_FOUND, INVALID_REQUEST for a day that is over or too far ahead, INVALID_STATE for an order that the embedded ad server does not serve.
 */
export const copyOrder = defineAct({
  name: 'orders.copy',
  route: 'GET /orders/{order}/copy',
  id: 'copyOrder',
  roles: READERS,
  summary: 'A direct order like this one, of any origin, to be entered; nothing is stored.',
  fields: {
    order: ORDER,
    first: day('the day on which its first line begins, YYYY-MM-DD; default: its own, or tomorrow where that is over'),
    copy_id: newOrderId('id of the new order; default: that of the order, with -copy'),
  },
  answer: copyShape,
  command: {
    help: 'show a direct order like this one, to be entered; --document prints what direct-orders put takes',
    document: ({ document }) => document,
    text: ({ document, flights, left_out: leftOut }) => [
      `${document.order_id}: ${document.name}, ${document.advertiser ?? ''}, ${document.currency}; not entered yet`,
      ...flights.map((flight) => `  ${flight}`),
      ...leftOut.map((what) => `  left out: ${what}`),
    ],
  },
  async run(context, { order, first, copy_id: copyId = defaultId(order) }) {
    const { store, config, tenantId } = context
    const { origin } = await knownOrder(context, order)
    const row = await findEmbeddedOrderByAnchor(store.read, tenantId, origin === 'entered' ? `${DIRECT}${order}` : order)
    if (!row) throw notServed(order)
    const filesOrigin = adsOrigin(config.ads, publicOrigin(config))
    const { order: copied, leftOut } = await copyOfStored(store.read, tenantId, row, { orderId: copyId, filesOrigin })
    const named = origin === 'entered' ? copied : { ...copied, ...(await buyersNames(context, order, copyId)) }
    const document = { ...named, lines: await movedLines(context, copied.lines, first) }
    const unsaid = [...leftOut, ...(await unsaidTerms(context, order, origin))]
    const { calendar } = await publisherCalendar(context, tenantId)
    const flights = document.lines.map(
      (line) => `${line.line_id} ${flightDaysText(flightDaysOf({ startsAt: line.starts_at, endsAt: line.ends_at }, calendar))}`,
    )
    return { order, origin, document, flights, left_out: unsaid }
  },
})

/** Who pays for an order and the rest of its terms, in words: a direct order is entered without them. */
async function unsaidTerms(context: ActContext, order: string, origin: OrderOrigin): Promise<readonly string[]> {
  const { store, tenantId } = context
  const { advertiser, agency, billedTo, poNumber, salesPerson, labels, discountBasisPoints, commissionBasisPoints } =
    await getOrderTerms(store.read, tenantId, order)
  const buy = origin === 'buyer' ? (await findOrder(context, tenantId, order)).buy : undefined
  const purchaseOrder = poNumber ?? buy?.poNumber
  const terms = [
    ...(advertiser ? [`the advertiser ${advertiser.name} with its address`] : []),
    ...(agency ? [`the agency ${agency.name}${billedTo === 'agency' ? ', which pays' : ''}`] : []),
    ...(purchaseOrder === undefined ? [] : [`purchase order ${purchaseOrder}`]),
    ...(salesPerson === undefined ? [] : [`sales person ${salesPerson}`]),
    ...(labels.length === 0 ? [] : [`labels ${labels.join(', ')}`]),
    ...(discountBasisPoints === 0 ? [] : [`discount of ${discountBasisPoints / 100} %`]),
    ...(commissionBasisPoints === 0 ? [] : [`agency commission of ${commissionBasisPoints / 100} %`]),
  ]
  return [
    ...(buy ? [`account ${buy.accountId} of the buyer: a direct order is billed to its advertiser or agency`] : []),
    ...terms.map((term) => `${[...term].slice(0, LONGEST_NAME).join('')}: set it after the copy is entered (orders set-terms)`),
  ]
}

/** What people call an order of a buyer: its ad server has it by ids. */
async function buyersNames(
  context: ActContext,
  order: string,
  copyId: string,
): Promise<Pick<DirectOrder, 'name' | 'advertiser'>> {
  const { buy } = await findOrder(context, context.tenantId, order)
  const { name = buy.poNumber ?? copyId, brand } = buy
  return { name: [...name].slice(0, LONGEST_NAME).join(''), advertiser: brand?.domain ?? 'direct' }
}

/** Lines on later days where the first of them has begun, or on the days that are asked for. */
async function movedLines(
  context: ActContext,
  lines: DirectOrder['lines'],
  first: string | undefined,
): Promise<DirectOrder['lines']> {
  const { calendar } = await publisherCalendar(context, context.tenantId)
  const today = calendar.dayOf(context.clock())
  const tomorrow = nextDay(today)
  const latest = `${Number(today.slice(0, 4)) + MOST_YEARS}${today.slice(4)}`
  if (first !== undefined && (first < today || first > latest))
    throw new AdcpError('INVALID_REQUEST', `first is ${first}; send a day from ${today} to ${latest}`, { field: 'first' })
  const begins = lines.map(({ starts_at: start }) => calendar.dayOf(new Date(start))).sort()[0] ?? tomorrow
  const flights = lines.map(({ starts_at, ends_at }) => ({ startsAt: starts_at, endsAt: ends_at }))
  const moved = movedFlights(flights, first ?? (begins < tomorrow ? tomorrow : begins), calendar)
  return lines.map((line, index) => {
    const { startsAt: starts_at = line.starts_at, endsAt: ends_at = line.ends_at } = moved[index] ?? {}
    return { ...line, starts_at, ends_at }
  })
}

function defaultId(order: string): string {
  return `${order.slice(0, LONGEST_ORDER_ID - '-copy'.length)}-copy`
}

function notServed(order: string): AdcpError {
  return new AdcpError(
    'INVALID_STATE',
    `${order} is not in the embedded ad server, which alone serves direct orders; what another ad server books, or what is not confirmed yet, cannot be copied`,
    { field: 'order' },
  )
}

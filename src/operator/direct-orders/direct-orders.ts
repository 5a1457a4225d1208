import { setDirectOrderState } from '../../ad-serving/embedded/direct-orders.ts'
import { requireOpen } from '../../ad-serving/embedded/direct-record.ts'
import { DIRECT, getDirectOrder } from '../../ad-serving/embedded/stored-direct-order.ts'
import { flightDayText } from '../../domain/calendar/flight-days.ts'
import { microsToAmount } from '../../domain/money.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { insertCharge } from '../../store/billing/charges.ts'
import { findEmbeddedOrderByAnchor, listEmbeddedOrders } from '../../store/embedded/orders.ts'
import { defineAct } from '../act.ts'
import { CURSOR, count, oneOf, required } from '../fields.ts'
import { READERS, SELLERS } from '../roles.ts'
import { list, pageOf } from '../shape.ts'
import { idText } from '../text-form.ts'
import { percent } from '../text-table.ts'
import { cancellationsOf, chargesOfCancellation } from './cancellation-fees.ts'
import { directOrderLines, directOrderRow, directOrderShape, type ShownDirectOrder } from './direct-order-shapes.ts'
import { presentDirectOrders, readShownOrder } from './present-direct-order.ts'

// Several acts in one file: they list, change and remove the same thing.

/** Orders of one answer. */
const MOST_ORDERS = 200

const ORDER = { order: required(idText('id of the direct order')) }

export const listDirectOrders = defineAct({
  name: 'direct-orders.list',
  route: 'GET /direct-orders',
  id: 'listDirectOrders',
  roles: READERS,
  summary: 'Orders that the publisher’s people sold, and house ads, by id.',
  fields: CURSOR,
  answer: pageOf(directOrderRow),
  command: {
    help: 'list direct orders',
    flags: { cursor: 'after' },
    aliases: { cursor: 'cursor' },
    columns: [
      ['ID', (order) => order.order_id],
      ['STATUS', (order) => order.status],
      ['ADVERTISER', ({ advertiser }) => advertiser],
      ['NAME', ({ name }) => name],
      ['IMPRESSIONS', ({ impressions, goal }) => (goal > 0 ? `${impressions} of ${goal}` : String(impressions))],
      ['DELIVERED', ({ pacing }) => percent(pacing.delivered)],
      ['PACING', ({ pacing }) => pacing.state.replace('_', ' ')],
      ['LAST DAY', ({ flight }) => flightDayText(flight.last)],
    ],
  },
  async run(context, { cursor }) {
    const { store, tenantId } = context
    const page = { prefix: DIRECT, limit: MOST_ORDERS, ...(cursor !== undefined && { after: `${DIRECT}${cursor}` }) }
    const orders = await presentDirectOrders(context, await listEmbeddedOrders(store.read, tenantId, page))
    return list(orders, orders.length === MOST_ORDERS ? (orders.at(-1)?.order_id ?? null) : null)
  },
})

/** Throws REFERENCE_NOT_FOUND. */
export const showDirectOrder = defineAct({
  name: 'direct-orders.show',
  route: 'GET /direct-orders/{order}',
  id: 'showDirectOrder',
  roles: READERS,
  summary: 'One direct order with its lines and what they delivered.',
  fields: ORDER,
  answer: directOrderShape,
  command: { document: ({ document }) => document, text: directOrderLines },
  run: (context, { order }) => readShownOrder(context, order),
})

/** Throws INVALID_STATE for an order that has ended: nothing of it is changed any more. */
export function requireChangeable({ order_id: id, state }: Pick<ShownDirectOrder, 'order_id' | 'state'>): void {
  requireOpen(id, state)
}

const VERBS = { paused: 'pause', active: 'resume', ended: 'end', canceled: 'cancel' } as const

/**
 * What ended cannot be resumed and holds nothing; what its advertiser canceled owes the fees of the products, so what has ended is not canceled (again): nothing would be charged.
 * Throws REFERENCE_NOT_FOUND, INVALID_STATE.
 */
export const changeDirectOrder = defineAct({
  name: 'direct-orders.state',
  route: 'PUT /direct-orders/{order}/state',
  id: 'changeDirectOrder',
  roles: SELLERS,
  summary: 'Pauses, resumes, ends or cancels a direct order.',
  fields: {
    ...ORDER,
    state: required(
      oneOf(
        ['active', 'paused', 'ended', 'canceled'],
        'ended: for good, and the advertiser owes nothing for it; canceled: for good by the advertiser, who is charged what `cancellation` says; what has ended is refused, since nothing would be charged',
      ),
    ),
    revision: count('does it only at this revision of the order'),
  },
  answer: directOrderShape,
  command: {
    words: 'direct-orders pause',
    help: 'stop serving it until it is resumed',
    fixed: { state: 'paused' },
    text: directOrderLines,
    more: [
      { words: 'direct-orders resume', help: 'serve it again', fixed: { state: 'active' } },
      {
        words: 'direct-orders end',
        help: 'end it for good, and free what it holds of the inventory',
        fixed: { state: 'ended' },
        confirm: ({ order }) => `Order ${order} ends for good, and its advertiser owes nothing for that. Go on?`,
      },
      {
        words: 'direct-orders cancel',
        help: 'end it for good for its advertiser, and charge what its products ask for that; direct-orders show says how much',
        fixed: { state: 'canceled' },
        confirm: ({ order }) =>
          `Order ${order} ends for good, and its advertiser is charged for that (direct-orders show says how much). Go on?`,
      },
    ],
  },
  async watch(tx, { tenantId }, { order }) {
    const known = await findEmbeddedOrderByAnchor(tx, tenantId, `${DIRECT}${order}`)
    return known && { state: known.state }
  },
  async run(context, { order, state: wanted, revision }) {
    const { store, tenantId, clock, actor } = context
    context.noteName(`direct-orders.${VERBS[wanted]}`)
    const act = { now: clock(), person: actor.credential, revision }
    const owed =
      wanted === 'canceled' ? await cancellationsOf(context, await getDirectOrder(store.read, tenantId, order), act.now) : []
    const charges = chargesOfCancellation(order, owed, { now: act.now, madeBy: act.person })
    await store.transaction(async (tx) => {
      const state = wanted === 'canceled' ? 'ended' : wanted
      const isChanged = await setDirectOrderState(tx, tenantId, order, state, act)
      if (!isChanged && wanted === 'canceled')
        throw new AdcpError(
          'INVALID_STATE',
          `direct order ${order} was ended or canceled before, and nothing is charged for it now; the charges of the order say what was charged then, and a fee that is missing is entered as a charge`,
          { field: 'state' },
        )
      if (!isChanged) return
      for (const charge of charges) await insertCharge(tx, tenantId, charge)
      if (charges.length > 0)
        context.noteChanges({
          charged: [null, charges.map(({ micros, currency }) => `${microsToAmount(micros)} ${currency}`).join(', ')],
        })
    })
    return readShownOrder(context, order)
  },
})

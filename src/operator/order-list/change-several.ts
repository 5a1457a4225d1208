import { AdcpError } from '../../protocol/errors.ts'
import { findOrderRow } from '../../store/order/orders.ts'
import { type ActContext, defineAct } from '../act.ts'
import { changeDirectOrder, showDirectOrder } from '../direct-orders/direct-orders.ts'
import { count, oneOf, required, several } from '../fields.ts'
import { byName } from '../map-fields.ts'
import { oneByOne, REFUSED, refusal, refusedLines } from '../one-by-one.ts'
import { pauseOrder, resumeOrder } from '../orders/change-order.ts'
import { perform } from '../perform.ts'
import { SELLERS } from '../roles.ts'
import { about, listOf, named, object, string } from '../shape.ts'

/** Orders of one act at most: each may be changed at its ad server, one after another. */
const MOST_CHANGED = 50

/**
 * Pauses or resumes up to 50 orders, of buyers and direct ones: each by itself, as {@link pauseOrder} and {@link changeDirectOrder} do, with an audit entry of
 * its own. Refused by itself is an order that is so already, that is over, that was changed since its revision was seen, or that another ad server keeps.
 */
export const changeOrders = defineAct({
  name: 'orders.change-several',
  route: 'POST /orders/change-several',
  id: 'changeOrders',
  roles: SELLERS,
  summary: `Pauses or resumes up to ${MOST_CHANGED} orders: each is changed by itself, and those that cannot be are named.`,
  inParts: true,
  fields: {
    orders: several(MOST_CHANGED, 'orders', 'their ids, as the list has them'),
    state: required(oneOf(['paused', 'active'], 'what all of them become: paused, or active, which resumes them')),
    reason: { ...pauseOrder.fields.reason, about: 'why, for the buyers and the history; direct orders keep none' },
    revisions: byName(
      count('a revision'),
      'whole numbers',
      'by order, the revision that was seen: an order that has another one by now is refused',
    ),
  },
  answer: object({
    changed: listOf(named('SetOrder', object({ order: string, status: string }))),
    refused: about(REFUSED, listOf(named('RefusedOrder', object({ order: string, ...refusal })))),
  }),
  command: {
    text: ({ changed, refused }) => [
      ...changed.map(({ order, status }) => `${order} is ${status}`),
      ...refusedLines(refused.map(({ order: id, ...why }) => ({ id, ...why }))),
    ],
    fails: ({ refused }) => refused.length > 0,
  },
  async run(context, { orders, state, reason, revisions = {} }) {
    const { done, refused } = await oneByOne(orders, async (order) => {
      const asked = { state, reason, seen: revisions[order] }
      const row = await findOrderRow(context.store.read, context.tenantId, order)
      if (row?.origin === 'adopted')
        throw new AdcpError('INVALID_STATE', `it was booked in ${row.ad_server}, and is paused and resumed there`, {
          field: 'orders',
        })
      return { order, status: row ? await changeDirect(context, order, asked) : await changeBought(context, order, asked) }
    })
    return { changed: done, refused: refused.map(({ id, ...why }) => ({ order: id, ...why })) }
  },
})

interface Asked {
  readonly state: 'paused' | 'active'
  readonly reason: string | undefined
  /** The revision that was seen. */
  readonly seen: number | undefined
}

async function changeBought(context: ActContext, order: string, { state, reason, seen }: Asked): Promise<string> {
  const act = state === 'paused' ? pauseOrder : resumeOrder
  const given = {
    order,
    ...(reason !== undefined && { reason }),
    ...(seen !== undefined && { revision: seen }),
  }
  const { answer } = await perform(context, context.caller, act, given)
  if (!answer.changed) throw alreadySo(state)
  return answer.order.paused ? 'paused' : answer.order.status
}

async function changeDirect(context: ActContext, order: string, { state, seen }: Asked): Promise<string> {
  const before = await showDirectOrder.run(context, { order })
  if (seen !== undefined && seen !== before.revision)
    throw new AdcpError('CONFLICT', `it has revision ${before.revision} by now, not ${seen}`, { field: 'revisions' })
  if (before.state === state) throw alreadySo(state)
  const { answer } = await perform(context, context.caller, changeDirectOrder, { order, state })
  return answer.state === 'paused' ? 'paused' : answer.status
}

function alreadySo(state: Asked['state']): AdcpError {
  return new AdcpError('INVALID_STATE', `it is ${state === 'paused' ? 'paused' : 'not paused'} already`, { field: 'state' })
}

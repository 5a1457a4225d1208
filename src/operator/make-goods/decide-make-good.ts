import { DECISIONS } from '../../domain/media-buy/decide-make-good.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { carryOutPublisherChange, planPublisherChange } from '../../tasks/media-buy/change-as-publisher.ts'
import { defineAct } from '../act.ts'
import { oneOf, required } from '../fields.ts'
import { publisherCalendar } from '../flight.ts'
import { findOrder } from '../orders/find-order.ts'
import { knownOrder } from '../orders/known-order.ts'
import { makeGoodShape, presentMakeGood } from '../orders/make-good-shape.ts'
import { ORDER } from '../orders/show-order.ts'
import { billedReasonField } from '../reasons.ts'
import { EDITORS } from '../roles.ts'
import { idText } from '../text-form.ts'
import { makeGoodLines } from './list-make-goods.ts'

/**
 * Withdraws an offer, or answers it on the buyer's behalf, when the buyer has answered outside of the protocol. Throws REFERENCE_NOT_FOUND, INVALID_STATE for one that was answered or is too old, and what placing the line throws.
 */
export const decideMakeGood = defineAct({
  name: 'make-goods.decide',
  route: 'POST /orders/{order}/make-goods/{make_good}/decide',
  id: 'decideMakeGood',
  roles: EDITORS,
  summary: 'Withdraws an offered make-good, or accepts or declines it for a buyer that answered outside the agent.',
  fields: {
    order: ORDER,
    make_good: required(idText('id of the make-good')),
    answer: required(oneOf(DECISIONS, 'withdraw: the offer is taken back')),
    reason: billedReasonField('why, for the buyer and the history'),
  },
  subject: 'order',
  answer: makeGoodShape,
  command: { args: ['order', 'make_good', 'answer'], text: makeGoodLines },
  async run(context, { order: orderId, make_good: id, answer: decision, reason }) {
    const { tenantId, store, clock, actor, services } = context
    if ((await knownOrder(context, orderId)).origin !== 'buyer')
      throw new AdcpError('INVALID_STATE', 'make-goods of direct and adopted orders are carried out when they are entered', {
        field: 'order',
      })
    const order = await findOrder(context, tenantId, orderId)
    const before = order.buy.makeGoods?.find(({ makeGoodId }) => makeGoodId === id)
    if (!before)
      throw new AdcpError('REFERENCE_NOT_FOUND', `the order has no make-good ${id}; make-goods show names them`, {
        field: 'make_good',
      })
    const change = { ext: { make_good: { make_good_id: id, decision } } }
    const by = { person: actor.credential, reason, now: clock() }
    const planned = await planPublisherChange(await services.approvals(store), tenantId, order, change, by)
    const after = planned.update.buy.makeGoods?.find(({ makeGoodId }) => makeGoodId === id) ?? before
    context.noteChanges({ [`${id}.state`]: [before.state, after.state] })
    await carryOutPublisherChange(store, planned)
    const shown = { currency: order.buy.currency, now: clock(), zone: await publisherCalendar(context, tenantId) }
    return presentMakeGood(after, shown)
  },
})

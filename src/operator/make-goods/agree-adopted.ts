import { decidedAs, requireOfferable } from '../../domain/media-buy/decide-make-good.ts'
import type { MakeGood } from '../../domain/media-buy/make-good-terms.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { adoptedOrderOf, saveAdopted } from '../../store/order/adopted-orders.ts'
import type { ActContext } from '../act.ts'
import { chargedOrder, requireAdoptedOrder } from '../orders/known-order.ts'
import { chargeMakeGood, type Writing } from './charge-make-good.ts'
import type { OfferableLine } from './short-line.ts'

/**
 * Credits a line of an adopted order: people agreed on it with their client. Throws INVALID_STATE for more impressions, which are booked at the ad server, for a line that was made good, and for an
 * order that costs nobody money.
 */
export async function agreeOnAdopted(
  context: ActContext,
  orderId: string,
  short: OfferableLine,
  offered: MakeGood,
  writing: Writing,
): Promise<MakeGood> {
  const { tenantId, clock, actor } = context
  if (offered.remedy !== 'credit')
    throw new AdcpError(
      'INVALID_STATE',
      'more impressions of an adopted order are booked at its ad server; then adopt the order again',
      {
        field: 'order',
      },
    )
  await chargedOrder(context, orderId)
  const now = clock()
  return writing(async (tx, creditedTo) => {
    const adopted = adoptedOrderOf(await requireAdoptedOrder(tx, tenantId, orderId))
    requireOfferable(adopted.makeGoods ?? [], offered.lineId, now)
    const makeGood = decidedAs('accepted', offered, { by: actor.credential, now })
    await chargeMakeGood(tx, { tenantId, orderId }, short, makeGood, creditedTo)
    await saveAdopted(tx, tenantId, orderId, { ...adopted, makeGoods: [...(adopted.makeGoods ?? []), makeGood] })
    return makeGood
  })
}

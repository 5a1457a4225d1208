import { offerMakeGood } from '../../domain/media-buy/decide-make-good.ts'
import type { MakeGood } from '../../domain/media-buy/make-good-terms.ts'
import { tellMakeGood } from '../../features/webhooks/status-events.ts'
import { saveMediaBuy } from '../../store/media-buy/media-buys.ts'
import type { OrderInStatus } from '../../tasks/media-buy/observe-orders.ts'
import type { ActContext } from '../act.ts'
import { requirePublisher } from '../require-publisher.ts'
import type { Writing } from './charge-make-good.ts'

/** Offers a make-good to the buyer of an order: in the order, and to whoever follows it. Throws INVALID_STATE for a line with an offer, CONFLICT for an order that was changed meanwhile. */
export async function offerToBuyer(
  { store }: Pick<ActContext, 'store'>,
  tenantId: string,
  { buy, principalId, creatives, sandbox }: OrderInStatus,
  makeGood: MakeGood,
  {
    person,
    now,
    writing,
  }: {
    readonly person: string
    readonly now: Date
    readonly writing: Writing
  },
): Promise<MakeGood> {
  const tenant = await requirePublisher(store.read, tenantId)
  const owner = { tenantId, principalId }
  const offered = offerMakeGood(buy, makeGood, { actor: tenant.name, person, now })
  await writing(async (tx) => {
    await saveMediaBuy(tx, owner, buy, offered)
    await tellMakeGood(tx, owner, offered, { creatives, now, simulated: sandbox })
  })
  return makeGood
}

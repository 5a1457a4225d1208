import type { CreateMediaBuyRequest, CreateMediaBuyResponse } from '@adcp/sdk/types'
import { presentCreated } from '../../domain/media-buy/present.ts'
import { defineTask } from '../../pipeline/task.ts'
import { creativeFactsOf } from './creative-facts.ts'
import { lineOrders, requireAvailability, withBooking } from './orders.ts'
import { type PlannedOrder, planOrder } from './plan-order.ts'
import { recordOrder } from './record-order.ts'
import { type HeldOrder, heldOrder, submitOrder } from './submit-order.ts'
import { uploadCreatives } from './upload-creatives.ts'

/** What `prepare` found out: an order that is booked at the ad server, or one that a person has to approve first. */
type Prepared = HeldOrder | (PlannedOrder & { readonly kind: 'booked' })

export const createMediaBuy = defineTask<CreateMediaBuyRequest, CreateMediaBuyResponse>()({
  name: 'create_media_buy',
  access: 'authenticated',
  scope: 'media_buys',
  account: 'required',
  summary: 'Buy: packages of products with budgets, or a proposal. Confirmed at once, or submitted where the seller approves.',
  async prepare(request, context): Promise<Prepared> {
    const planned = await planOrder(request, context)
    const held = await heldOrder(request, context, planned)
    if (held) return held
    const { buy, products } = planned
    await requireAvailability(context, buy.packages, products)
    const booking = await context.services.adServer.book(context.anchor, buy.mediaBuyId, lineOrders(buy.packages))
    return { ...planned, kind: 'booked', buy: withBooking(buy, booking) }
  },
  async undo(_request, { services, anchor }, prepared) {
    if (prepared.kind === 'booked') await services.adServer.cancel(anchor, prepared.buy.orderId)
  },
  async handle(request, context, prepared): Promise<CreateMediaBuyResponse> {
    await uploadCreatives(context, prepared.buy.accountId, request.packages, 'packages')
    if (prepared.kind === 'held') return submitOrder(request, context, prepared)
    const { tx, principal, account, now } = context
    await recordOrder(tx, context, prepared)
    const creatives = await creativeFactsOf(tx, principal, [prepared.buy])
    return presentCreated(prepared.buy, { creatives, now, account: account?.document, idempotencyKey: request.idempotency_key })
  },
})

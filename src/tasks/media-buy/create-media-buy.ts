import type { CreateMediaBuyRequest, CreateMediaBuyResponse } from '@adcp/sdk/types'
import { presentCreated } from '../../domain/media-buy/present.ts'
import { assignmentOf } from '../../domain/media-buy/update.ts'
import { defineTask } from '../../pipeline/task.ts'
import { insertMediaBuy } from '../../store/media-buys.ts'
import { creativeFactsOf, replaceAssignments } from './creative-facts.ts'
import { lineOrders, poolOf, requireAvailability, reserve, withBooking } from './orders.ts'
import { type PlannedOrder, planOrder } from './plan-order.ts'
import { type HeldOrder, heldOrder, submitOrder } from './submit-order.ts'

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
    const held = await heldOrder(context, planned)
    if (held) return held
    const { buy, products } = planned
    await requireAvailability(context, buy.packages, products)
    const booking = await context.services.adServer.book(context.anchor, buy.mediaBuyId, lineOrders(buy.packages))
    return { kind: 'booked', buy: withBooking(buy, booking), products }
  },
  async undo(_request, { services, anchor }, prepared) {
    if (prepared.kind === 'booked') await services.adServer.cancel(anchor, prepared.buy.orderId)
  },
  async handle(request, context, prepared): Promise<CreateMediaBuyResponse> {
    if (prepared.kind === 'held') return submitOrder(request, context, prepared)
    const { tx, principal, account, now } = context
    const { buy, products } = prepared
    await reserve(tx, poolOf(context), [], buy.packages, products)
    await insertMediaBuy(tx, principal, buy)
    for (const [index, { packageId }] of buy.packages.entries()) {
      const assignments = request.packages?.[index]?.creative_assignments
      if (assignments) await replaceAssignments(tx, principal, packageId, assignments.map(assignmentOf), now)
    }
    const creatives = await creativeFactsOf(tx, principal, [buy])
    return presentCreated(buy, { creatives, now, account: account?.document, idempotencyKey: request.idempotency_key })
  },
})

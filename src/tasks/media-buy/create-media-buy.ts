import type { CreateMediaBuyRequest, CreateMediaBuyResponse } from '@adcp/sdk/types'
import { unconfirmed } from '../../domain/media-buy/confirm.ts'
import { presentCreated } from '../../domain/media-buy/present.ts'
import { unusedBids, withIgnored } from '../../domain/media-buy/unused-bids.ts'
import { withSimulation } from '../../domain/protocol/simulated-backends.ts'
import { defineTask } from '../../pipeline/task.ts'
import { actionRulesOf } from './action-rules.ts'
import { approvingAdServers, submitToAdServers } from './await-ad-server.ts'
import { creativesOfNew } from './creative-facts.ts'
import { orderCommitment, withGovernance } from './governed-order.ts'
import { CREATE_MEDIA_BUY } from './input-notes.ts'
import { withSealedLists } from './named-lists.ts'
import { orderIsolation, type PreparedOrder } from './order-isolation.ts'
import { adServerOf, isSimulated, lineOrders, requireAvailability, requireKeepable, withBooking } from './orders.ts'
import { planOrder } from './plan-order.ts'
import { recordOrder } from './record-order.ts'
import { heldOrder, submitOrder } from './submit-order.ts'
import { summarizeCreated } from './summaries.ts'
import { prepareUploads, uploadCreatives } from './upload-creatives.ts'

export const createMediaBuy = defineTask<CreateMediaBuyRequest, CreateMediaBuyResponse>()({
  name: 'create_media_buy',
  mutating: true,
  access: 'authenticated',
  scope: 'media_buys',
  account: 'required',
  summary: 'Buy: packages of products with budgets, or a proposal. Confirmed at once, or submitted where the seller approves.',
  input: CREATE_MEDIA_BUY,
  summarize: summarizeCreated,
  spends: true,
  async prepare(given, context): Promise<PreparedOrder> {
    const request = withSealedLists(given, context)
    const planned = await planOrder(request, context)
    requireKeepable(context, planned.buy.packages)
    const held = await heldOrder(request, context, planned)
    const { buy, products } = planned
    const uploads = await prepareUploads(context, request.packages, (index) => buy.packages[index], 'packages')
    if (!held) await requireAvailability(context, buy.packages, products)
    const governed = await context.services.governance.check(context, { ...orderCommitment(request, buy), isNew: true })
    if (held) return { ...held, governed, uploads }
    const booking = await adServerOf(context).book(context.anchor, buy.mediaBuyId, lineOrders(buy.packages))
    return { ...planned, kind: 'booked', buy: withBooking(buy, booking), governed, uploads }
  },
  async undo(_request, context, prepared) {
    if (prepared.kind === 'booked') await adServerOf(context).cancel(context.anchor, prepared.buy.orderId)
  },
  isolation: (request, prepared: PreparedOrder) => orderIsolation(request, prepared),
  async handle(request, context, prepared): Promise<CreateMediaBuyResponse> {
    await uploadCreatives(context, prepared.buy.accountId, prepared.uploads)
    const { tx, principal, account, now, services } = context
    const { buy, governed } = prepared
    await services.governance.record(tx, context, orderCommitment(request, buy), governed)
    if (prepared.kind === 'held') return submitOrder(request, context, prepared)
    const approving = approvingAdServers(context, buy)
    if (approving.length > 0) {
      await recordOrder(tx, context, { ...prepared, buy: unconfirmed(buy) })
      return submitToAdServers(request, context, buy, approving)
    }
    await recordOrder(tx, context, prepared)
    const creatives = await creativesOfNew(tx, principal, prepared)
    const answer = presentCreated(buy, {
      creatives,
      now,
      account: account?.document,
      sandbox: isSimulated(context),
      idempotencyKey: request.idempotency_key,
      rules: await actionRulesOf(context),
    })
    const whole = withIgnored(withGovernance(answer, buy, governed), unusedBids(request.packages, buy.packages, 'packages'))
    return withSimulation(whole, adServerOf(context), { inSandbox: isSimulated(context) })
  },
})

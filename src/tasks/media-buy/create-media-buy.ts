import type { CreateMediaBuyRequest, CreateMediaBuyResponse } from '@adcp/sdk/types'
import {
  otherDaysNote,
  packageNotes,
  partsNote,
  reviewNotes,
  totalNote,
  uncappedNote,
  withNotes,
} from '../../domain/media-buy/order-notes.ts'
import { presentCreated } from '../../domain/media-buy/present.ts'
import { unusedBids, withIgnored } from '../../domain/media-buy/unused-bids.ts'
import { microsToAmount } from '../../domain/money.ts'
import { takesOf } from '../../domain/product/overlay-support.ts'
import { withSimulation } from '../../domain/protocol/simulated-backends.ts'
import { defineTask } from '../../pipeline/task.ts'
import { keptTargeting } from '../served-products.ts'
import { actionRulesOf } from './action-rules.ts'
import { creativesOfNew } from './creative-facts.ts'
import { withGovernance } from './governed-order.ts'
import { CREATE_MEDIA_BUY } from './input-notes.ts'
import { optionCandidates } from './option-candidates.ts'
import { orderIsolation, type PreparedOrder } from './order-isolation.ts'
import { adServerOf, isSimulated } from './orders.ts'
import { commitOrder, type Placing, prepareOrder, undoOrder } from './place-order.ts'
import { summarizeCreated } from './summaries.ts'
import { unknownInOrder } from './unknown-in-order.ts'

const PLACING: Placing = { task: 'create_media_buy' }

export const createMediaBuy = defineTask<CreateMediaBuyRequest, CreateMediaBuyResponse>()({
  name: 'create_media_buy',
  mutating: true,
  access: 'authenticated',
  scope: 'media_buys',
  candidates: optionCandidates,
  unknown: unknownInOrder,
  account: 'required',
  summary: 'Buy: packages of products with budgets, or a proposal. Confirmed at once, or submitted where the seller approves.',
  input: CREATE_MEDIA_BUY,
  summarize: summarizeCreated,
  spends: true,
  prepare: (request, context) => prepareOrder(request, context, PLACING),
  undo: (_request, context, prepared) => undoOrder(context, prepared),
  isolation: (request, prepared: PreparedOrder) => orderIsolation(request, prepared),
  async handle(request, context, prepared): Promise<CreateMediaBuyResponse> {
    const { submitted, notes: said } = await commitOrder(request, context, prepared, PLACING)
    const { buy, governed, products } = prepared
    const otherDays = otherDaysNote(prepared.plannedDays, buy)
    if (submitted) return withNotes<typeof submitted & { ext?: object }>(submitted, [...otherDays, ...said])
    const { tx, principal, account, now } = context
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
    const notes = [
      ...totalNote(request.total_budget, buy.packages),
      ...packageNotes(
        request.packages ?? buy.packages.map(({ terms }) => ({ budget: microsToAmount(terms.budgetMicros) })),
        buy.packages,
        products,
        request.packages ? 'packages' : undefined,
        'bid_price',
        buy.bidding,
      ),
      ...(prepared.missesCap ? uncappedNote(buy.packages, products, takesOf(keptTargeting(context))) : []),
      ...partsNote(prepared.notCarried),
      ...reviewNotes(buy.packages, creatives),
      ...otherDays,
      ...said,
    ]
    return withSimulation(withNotes(whole, notes), adServerOf(context), { inSandbox: isSimulated(context) })
  },
})

import { randomUUID } from 'node:crypto'
import type { CreateMediaBuyRequest } from '@adcp/sdk/types'
import { withAccepted } from '../../domain/media-buy/commercial-terms.ts'
import { packageNotes, withNotes } from '../../domain/media-buy/order-notes.ts'
import { unusedBids } from '../../domain/media-buy/unused-bids.ts'
import { defineTask, type Modelled } from '../../pipeline/task.ts'
import { orderOf } from '../../protocol/converters/compact-requests.ts'
import { answerPlaced } from './answer-placed.ts'
import { requireBuyable, type WantedPurchase } from './buyable-purchases.ts'
import { requireCurrentOffers } from './current-offers.ts'
import { BUY_PRODUCTS } from './input-notes.ts'
import { optionCandidates } from './option-candidates.ts'
import { orderIsolation, type PreparedOrder } from './order-isolation.ts'
import { commitOrder, type Placing, prepareOrder, undoOrder } from './place-order.ts'
import { summarizeCommitted } from './summaries.ts'
import { unknownInOrder } from './unknown-in-order.ts'

/** What a buyer takes of published offers (AdCP 3.2 media-buy/buy-products-request.json). */
interface Purchases {
  readonly idempotency_key: string
  readonly feed_version: string
  readonly pricing_version?: string
  readonly purchases: readonly WantedPurchase[]
}
type Request = Modelled<Purchases, CreateMediaBuyRequest>

export const buyProducts = defineTask<Request>()({
  name: 'buy_products',
  since: '3.2',
  mutating: true,
  access: 'authenticated',
  scope: 'media_buys',
  candidates: optionCandidates,
  unknown: unknownInOrder,
  account: 'required',
  summary:
    'Buy offers as list_products published them; refused when one changed since. Answers with the accepted terms and their digest.',
  input: BUY_PRODUCTS,
  model: {
    task: 'create_media_buy',
    read: orderOf,
    names: { 'packages[].bid_price': 'purchases[].bidding', packages: 'purchases', po_number: 'purchase_order_ref' },
  },
  summarize: summarizeCommitted,
  spends: true,
  async prepare(request, context): Promise<PreparedOrder> {
    const { db, tenant, principal, services } = context
    const offers = offersOf(request)
    await requireCurrentOffers(db, context, offers)
    const { byId } = await services.products.get(db, tenant, principal)
    requireBuyable(request.purchases, byId, principal.principalId)
    const placing: Placing = {
      ...PLACING,
      complete: (buy, { products }) =>
        withAccepted(buy, {
          proposalId: `proposal_${randomUUID()}`,
          name: buy.name ?? 'Direct purchase',
          feedVersion: request.feed_version,
          asked: request.purchases,
          products,
          principalId: principal.principalId,
        }),
    }
    return prepareOrder(request.model, context, placing)
  },
  undo: (_request, context, prepared) => undoOrder(context, prepared),
  isolation: ({ model }, prepared: PreparedOrder) => orderIsolation(model, prepared),
  async handle(request, context, prepared) {
    // An offer that changed while the order was booked is not bought.
    await requireCurrentOffers(context.tx, context, offersOf(request))
    const { submitted, notes } = await commitOrder(request.model, context, prepared, PLACING)
    if (submitted) return withNotes<typeof submitted & { ext?: object }>(submitted, notes)
    const { packages, bidding } = prepared.buy
    return answerPlaced(context, prepared, request.idempotency_key, {
      ignored: unusedBids(request.model.packages, packages, 'purchases'),
      notes: [...packageNotes(request.model.packages, packages, prepared.products, 'purchases', 'bidding', bidding), ...notes],
    })
  },
})

const PLACING: Placing = { task: 'buy_products' }

function offersOf({ feed_version: feedVersion, purchases }: Purchases) {
  return { feedVersion, productIds: purchases.map(({ product_id }) => product_id) }
}

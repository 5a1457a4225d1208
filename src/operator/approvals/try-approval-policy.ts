import { approvalReason } from '../../domain/approval/policy.ts'
import { DAY_MS } from '../../domain/calendar/instant.ts'
import type { TenantSettings } from '../../domain/identity/principal.ts'
import { totalBudgetMicros } from '../../domain/media-buy/create.ts'
import { microsToAmount } from '../../domain/money.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { listTenantOrders, type OrderPosition } from '../../store/media-buy/order-list.ts'
import { findOwnProduct } from '../../store/product/product-list.ts'
import type { OperatorContext } from '../operator-context.ts'

/** An order that a policy would have held. Budget in units of `currency`. */
interface HeldOrder {
  readonly media_buy_id: string
  readonly buyer: string
  readonly budget: number
  readonly currency: string
  readonly reason: string
}

/** `is_complete`: all orders of the days were examined, not only the newest of them. */
export interface PolicyTrial {
  readonly examined: number
  readonly held: readonly HeldOrder[]
  readonly is_complete: boolean
}

const DAYS_MS = 30 * DAY_MS
const MOST_ORDERS = 2_000
const PAGE = 200

/**
 * Which orders of the last 30 days settings would have held for approval. The newest 2,000 orders are examined, with the products as they are now.
 */
export async function ordersHeldBy(context: OperatorContext, tenantId: string, settings: TenantSettings): Promise<PolicyTrial> {
  const db = context.store.read
  const now = context.clock()
  const since = new Date(now.getTime() - DAYS_MS).toISOString()
  const isManual = manualProducts(context, tenantId)
  const held: HeldOrder[] = []
  let examined = 0
  let after: OrderPosition | undefined
  do {
    const page = { sort: 'created_at', descending: true, after, limit: PAGE } as const
    const { orders, end } = await listTenantOrders(db, tenantId, { now }, page)
    for (const order of orders) {
      if (order.buy.createdAt < since) return { examined, held, is_complete: true }
      if (examined === MOST_ORDERS) return { examined, held, is_complete: false }
      examined += 1
      const { buy, principalId: buyer } = order
      const totalMicros = totalBudgetMicros(buy)
      const productIds = [...new Set(buy.packages.map(({ productId }) => productId))]
      const marks = await Promise.all(productIds.map(isManual))
      const manualProductIds = productIds.filter((_id, index) => marks[index])
      const reason = approvalReason(settings, 'create_media_buy', {
        totalMicros,
        currency: buy.currency,
        productIds,
        manualProductIds,
      })
      if (reason === undefined) continue
      const budget = microsToAmount(totalMicros)
      held.push({ media_buy_id: buy.mediaBuyId, buyer, budget, currency: buy.currency, reason })
    }
    after = end
    if (after) await yieldToEventLoop()
  } while (after)
  return { examined, held, is_complete: true }
}

/** Whether a product is marked as sold by hand, asked once for each. */
function manualProducts({ store }: OperatorContext, tenantId: string): (productId: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>()
  return (productId) => {
    const found =
      known.get(productId) ??
      findOwnProduct(store.read, tenantId, productId).then((product) => product?.document.selling.approval === 'manual')
    known.set(productId, found)
    return found
  }
}

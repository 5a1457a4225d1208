import { approvalReason } from '../../domain/approval/policy.ts'
import { totalBudgetMicros } from '../../domain/media-buy/create.ts'
import { microsToAmount } from '../../domain/money.ts'
import { findTenant } from '../../store/identity/tenants.ts'
import { listTenantOrders, type OrderPosition, positionIn } from '../../store/media-buy/order-list.ts'
import { findOwnProduct } from '../../store/product/product-list.ts'
import type { OperatorContext } from '../operator-context.ts'
import { changedSettings, type PolicyChange } from './approval-policy.ts'

/** An order that a policy would have held. Budget in units of `currency`. */
export interface HeldOrder {
  readonly media_buy_id: string
  readonly buyer: string
  readonly budget: number
  readonly currency: string
  readonly reason: string
}

/** `isComplete`: all orders of the days were examined, not only the newest of them. */
export interface PolicyTrial {
  readonly examined: number
  readonly held: readonly HeldOrder[]
  readonly isComplete: boolean
}

const DAYS_MS = 30 * 86_400_000
const MOST_ORDERS = 2_000
const PAGE = 200

/**
 * Which orders of the last 30 days a changed rule for `create_media_buy` would have held for approval; changes nothing. The newest 2,000 orders are examined, with
 * the products as they are now. Throws INVALID_REQUEST for a rule that does not fit.
 */
export async function tryApprovalPolicy(context: OperatorContext, tenantId: string, change: PolicyChange): Promise<PolicyTrial> {
  const db = context.store.read
  const settings = changedSettings((await findTenant(db, tenantId))?.settings ?? {}, change)
  const now = context.clock()
  const since = new Date(now.getTime() - DAYS_MS).toISOString()
  const isManual = manualProducts(context, tenantId)
  const held: HeldOrder[] = []
  let examined = 0
  let after: OrderPosition | undefined
  for (let isMore = true; isMore; ) {
    const rows = await listTenantOrders(db, tenantId, { now }, { sort: 'created_at', descending: true, after, limit: PAGE })
    for (const order of rows) {
      if (order.buy.createdAt < since) return { examined, held, isComplete: true }
      if (examined === MOST_ORDERS) return { examined, held, isComplete: false }
      examined += 1
      const { buy, principalId } = order
      const totalMicros = totalBudgetMicros(buy)
      const productIds = [...new Set(buy.packages.map(({ productId }) => productId))]
      const marks = await Promise.all(productIds.map(isManual))
      const manualProductIds = productIds.filter((_id, index) => marks[index])
      const reason = approvalReason(settings, 'create_media_buy', { totalMicros, productIds, manualProductIds })
      if (reason === undefined) continue
      const budget = microsToAmount(totalMicros)
      held.push({ media_buy_id: buy.mediaBuyId, buyer: principalId, budget, currency: buy.currency, reason })
    }
    const last = rows.at(-1)
    after = last && positionIn('created_at', last, totalBudgetMicros(last.buy))
    isMore = rows.length === PAGE
  }
  return { examined, held, isComplete: true }
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

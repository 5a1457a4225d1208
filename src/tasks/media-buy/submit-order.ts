import { manualProducts, totalBudgetMicros } from '../../domain/media-buy/create.ts'
import type { Assignment, MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { microsToAmount } from '../../domain/money.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findApprovalHold, useApprovalHold } from '../../store/approval/approval-holds.ts'
import { type Held, heldByPolicy, submitForApproval } from '../approvals/hold.ts'
import type { Placing } from './place-order.ts'
import type { PlacedOrder } from './placed-order.ts'
import type { PlannedOrder } from './plan-order.ts'

/** An order that a person at the seller has to approve first. */
export interface HeldOrder extends PlannedOrder {
  readonly kind: 'held'
  readonly held: Held
  /** It uses up the seller's hold on the agent's next order. */
  readonly usesHold: boolean
}

/** What an approval of an order keeps: the buy as planned, and the creatives that the buyer gave each package. */
export interface OrderDocument {
  readonly buy: MediaBuy
  readonly assignments: readonly (readonly [packageId: string, assignments: readonly Assignment[]])[]
  readonly idempotencyKey: string
}

/** Whether a planned order has to wait for a person: by the seller's hold on the agent's next one, or by policy. */
export async function heldOrder(
  request: PlacedOrder,
  context: AuthenticatedContext,
  planned: PlannedOrder,
  task: Placing['task'],
): Promise<HeldOrder | undefined> {
  // Holds are placed by the compliance controller, which is for sandbox agents alone.
  const hold = context.principal.sandbox ? await findApprovalHold(context.db, context.principal) : undefined
  const { buy, products } = planned
  const held = hold
    ? { taskId: hold.taskId, message: hold.message ?? 'Awaiting approval by the seller' }
    : await heldByPolicy(context, { task, policy: 'create_media_buy' }, request, {
        totalMicros: totalBudgetMicros(buy),
        currency: buy.currency,
        productIds: buy.packages.map(({ productId }) => productId),
        manualProductIds: manualProducts(buy.packages, products),
      })
  return held && { ...planned, kind: 'held', held, usesHold: hold !== undefined }
}

/** Records a held order as a submitted task; the media buy gets its id when the task completes. */
export async function submitOrder(
  request: PlacedOrder,
  context: InTransaction<AuthenticatedContext>,
  { held, usesHold, buy, assignments }: HeldOrder,
  taskType: Placing['task'],
) {
  if (usesHold && !(await useApprovalHold(context.tx, context.principal, held.taskId))) {
    throw new AdcpError('CONFLICT', 'another order took the approval; try again')
  }
  const document: OrderDocument = { buy, assignments, idempotencyKey: request.idempotency_key }
  return submitForApproval(context, held, { taskType, request, summary: orderSummary(buy), document })
}

/** What a person has to know of a media buy to decide on it. */
export function orderSummary(buy: MediaBuy) {
  return {
    budget: microsToAmount(totalBudgetMicros(buy)),
    currency: buy.currency,
    start_time: buy.startsAt,
    end_time: buy.endsAt,
    products: [...new Set(buy.packages.map(({ productId }) => productId))],
  }
}

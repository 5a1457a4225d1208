import type { SettleReview } from '../../ad-serving/reconcile/reconciler.ts'
import type { Review } from '../../domain/ad-serving/review.ts'
import { confirmed } from '../../domain/media-buy/confirm.ts'
import { isTerminal, mediaBuyStatus } from '../../domain/media-buy/lifecycle.ts'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { bringTo } from '../../domain/media-buy/seller-decisions.ts'
import { withSimulation } from '../../domain/protocol/simulated-backends.ts'
import type { LeasedOrder } from '../../store/ad-serving/ad-server-leases.ts'
import { recordReview, reviewsOf } from '../../store/ad-serving/ad-server-reviews.ts'
import { findApproval } from '../../store/approval/approvals.ts'
import type { Db } from '../../store/database.ts'
import { findMediaBuys, getMediaBuy, saveMediaBuy } from '../../store/media-buy/media-buys.ts'
import { advanceTask, findTask, type StoredTask, type TaskChange } from '../../store/task/tasks.ts'
import { type ApprovalServices, withConditions } from '../approvals/carry-out.ts'
import { buyerContext } from './buyer-context.ts'
import { creativeFactsOf } from './creative-facts.ts'
import { adServerOf, isSimulated, poolOf } from './orders.ts'
import type { ChangeContext } from './plan-update.ts'
import { presentPlaced } from './present-placed.ts'
import { reserve } from './reservations.ts'

/**
 * What becomes of a media buy when the people at an ad server have decided on its order. The last approval that was waited for confirms the buy and completes the buyer's
 * task; a rejection rejects the buy, or cancels one that was confirmed before, and ends the task with the reason. Each is in one transaction with its notifications.
 */
export function settleReviews(services: ApprovalServices, clock: () => Date, wake: () => void): SettleReview {
  return async (order, review) => {
    const [found] = await findMediaBuys(services.store.read, order, [order.mediaBuyId])
    if (!found) return
    const context = await buyerContext(services, order.tenantId, { principalId: order.principalId, buy: found }, clock())
    await services.store.transaction((tx) => settle(tx, context, order, review))
    wake()
  }
}

async function settle(tx: Db, context: ChangeContext, order: LeasedOrder, review: Review | undefined): Promise<void> {
  const { principal, now } = context
  await recordReview(tx, order, review?.state ?? 'rejected')
  const reviews = await reviewsOf(tx, order)
  const buy = await getMediaBuy(tx, principal, order.mediaBuyId)
  const taskId = reviews[0]?.taskId
  const task = taskId === undefined ? undefined : await findTask(tx, principal, taskId)
  const end = async (change: Omit<TaskChange, 'at'>) => {
    if (task) await advanceTask(tx, principal, task, change, now)
  }
  if (buy.cancellation ?? buy.rejection) {
    // The buyer or the publisher ended it before the ad server decided.
    return end({ status: 'canceled', message: buy.cancellation?.reason ?? buy.rejection?.reason ?? 'the order was canceled' })
  }
  if (review?.state === 'rejected') {
    const reason = review.reason ?? 'rejected by the ad server of the publisher'
    await refuse(tx, context, buy, reason)
    return end({
      status: 'rejected',
      message: reason,
      error: { code: 'POLICY_VIOLATION', message: reason, recovery: 'correctable' },
    })
  }
  if (buy.confirmedAt !== undefined || reviews.some(({ state }) => state !== 'approved')) return
  const after = confirmed(buy, now).buy
  await saveMediaBuy(tx, principal, buy, after)
  await end({
    status: 'completed',
    message: "Approved at the publisher's ad server",
    result: await resultOf(tx, context, after, task),
  })
}

/** Ends a buy that the ad server refuses, and gives its inventory back. */
async function refuse(tx: Db, context: ChangeContext, buy: MediaBuy, reason: string): Promise<void> {
  const { tenant, principal, now } = context
  const creatives = await creativeFactsOf(tx, principal, [buy])
  if (isTerminal(mediaBuyStatus(buy, creatives, now))) return
  const to = buy.confirmedAt === undefined ? 'rejected' : 'canceled'
  const { buy: after } = bringTo(buy, to, { creatives, actor: tenant.name, now, reason })
  await saveMediaBuy(tx, principal, buy, after)
  await reserve(tx, poolOf(context), buy.packages, after.packages, new Map())
}

/** The answer that create_media_buy would have given at once. */
async function resultOf(tx: Db, context: ChangeContext, buy: MediaBuy, task: StoredTask | undefined): Promise<object> {
  const { principal, account, now } = context
  const creatives = await creativeFactsOf(tx, principal, [buy])
  const key: unknown = Reflect.get(task?.request ?? {}, 'idempotency_key')
  const sandbox = isSimulated(context)
  const idempotencyKey = typeof key === 'string' ? key : ''
  const approval = task && (await findApproval(tx, principal.tenantId, task.taskId))
  const answer = await presentPlaced(context, buy, { creatives, now, account: account?.document, sandbox, idempotencyKey })
  return withConditions(withSimulation(answer, adServerOf(context), { inSandbox: sandbox }), approval?.conditions ?? [])
}

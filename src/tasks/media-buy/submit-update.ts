import type { UpdateMediaBuyRequest } from '@adcp/sdk/types'
import { changeFacts } from '../../domain/media-buy/change-approval.ts'
import { totalBudgetMicros } from '../../domain/media-buy/create.ts'
import { makeGoodDecisionIn } from '../../domain/media-buy/decide-make-good.ts'
import { actionToApprove } from '../../domain/media-buy/require-actions.ts'
import type { ChangeTask } from '../../domain/media-buy/waits-for.ts'
import { microsToAmount } from '../../domain/money.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { answeredHold, type Held, heldByPolicy, newHold, submitForApproval } from '../approvals/hold.ts'
import type { UpdateDocument } from './change-approved.ts'
import type { PlannedUpdate } from './plan-update.ts'
import { orderSummary } from './submit-order.ts'

/**
 * Whether an update has to wait for a person: by a product's own rule for the change, or by the publisher's policy. By the policy a buyer stops, resumes and
 * chooses its ads without asking; the rules look at what makes an order bigger,
 * and at new dates and bids of the products that they name.
 */
export async function heldUpdate(
  request: UpdateMediaBuyRequest,
  context: AuthenticatedContext,
  { before, update, products }: PlannedUpdate,
  task: ChangeTask,
): Promise<Held | undefined> {
  // A make-good is what the publisher itself offered.
  if (update.buy.revision === before.revision || makeGoodDecisionIn(request)) return undefined
  const action = actionToApprove(before, request, products)
  if (action !== undefined)
    return (
      (await answeredHold(context, task, request)) ?? newHold(`${action} has to be confirmed by the sales team for this product`)
    )
  const facts = changeFacts(request, before, update.buy, products)
  return facts && heldByPolicy(context, { task, policy: 'update_media_buy' }, request, facts)
}

/** Records a held update as a submitted task; nothing changes before it is approved. */
export function submitUpdate(
  request: UpdateMediaBuyRequest,
  context: InTransaction<AuthenticatedContext>,
  held: Held,
  { before, update }: PlannedUpdate,
  taskType: ChangeTask,
) {
  const { push_notification_config: _push, reporting_webhook: _reporting, ...kept } = request
  const document: UpdateDocument = { request: kept, planned: update.buy.packages }
  const summary = {
    media_buy_id: before.mediaBuyId,
    ...orderSummary(update.buy),
    budget_before: microsToAmount(totalBudgetMicros(before)),
    changes: update.buy.history.filter(({ revision }) => revision === update.buy.revision).map((entry) => entry.summary),
  }
  return submitForApproval(context, held, { taskType, request, summary, document })
}

import { randomUUID } from 'node:crypto'
import type { CreateMediaBuyRequest, CreateMediaBuyResponse } from '@adcp/sdk/types'
import { approvalReason } from '../../domain/media-buy/create.ts'
import { AdcpError } from '../../errors.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { findApprovalHold, useApprovalHold } from '../../store/approval-holds.ts'
import { insertSubmittedOrder } from '../../store/submitted-orders.ts'
import { insertTask } from '../../store/tasks.ts'
import type { PlannedOrder } from './plan-order.ts'

/** An order that a person at the seller has to approve first. */
export interface HeldOrder extends PlannedOrder {
  readonly kind: 'held'
  readonly taskId: string
  readonly message: string
  /** It uses up the seller's hold on the agent's next order. */
  readonly usesHold: boolean
}

/** Whether a planned order has to wait for a person: by the seller's hold, the product or the size of the order. */
export async function heldOrder(context: AuthenticatedContext, planned: PlannedOrder): Promise<HeldOrder | undefined> {
  const hold = await findApprovalHold(context.db, context.principal)
  const limit = context.tenant.settings.approvalAboveMicros
  const reason = hold ? (hold.message ?? 'Awaiting approval by the seller') : approvalReason(planned.buy, planned.products, limit)
  if (reason === undefined) return undefined
  return {
    ...planned,
    kind: 'held',
    taskId: hold?.taskId ?? `task_${randomUUID()}`,
    message: reason,
    usesHold: hold !== undefined,
  }
}

/** Records a held order as a submitted task; the media buy gets its id when the task completes. */
export async function submitOrder(
  request: CreateMediaBuyRequest,
  { tx, principal, account, now }: InTransaction<AuthenticatedContext>,
  { taskId, message, usesHold, buy, assignments }: HeldOrder,
): Promise<CreateMediaBuyResponse> {
  if (usesHold && !(await useApprovalHold(tx, principal, taskId))) {
    throw new AdcpError('CONFLICT', 'another order took the approval; try again')
  }
  const task = {
    taskId,
    accountId: account?.accountId ?? '',
    taskType: 'create_media_buy',
    protocol: 'media-buy',
    status: 'submitted' as const,
    message,
    request: withoutWebhookCredentials(request),
    hasWebhook: request.push_notification_config !== undefined,
  }
  await insertTask(tx, principal, task, now)
  const order = { taskId, buy, assignments, reason: message, idempotencyKey: request.idempotency_key }
  await insertSubmittedOrder(tx, principal, order, now)
  return { status: 'submitted', task_id: taskId, message }
}

/** The request as it may be kept with a task: without the secrets of its webhooks. */
function withoutWebhookCredentials(request: CreateMediaBuyRequest): object {
  const { push_notification_config: push, reporting_webhook: reporting, artifact_webhook: artifact, ...rest } = request
  return {
    ...rest,
    ...(push && { push_notification_config: stripped(push) }),
    ...(reporting && { reporting_webhook: stripped(reporting) }),
    ...(artifact && { artifact_webhook: stripped(artifact) }),
  }
}

function stripped<W extends { authentication?: unknown }>({
  authentication: _authentication,
  ...webhook
}: W): Omit<W, 'authentication'> {
  return webhook
}

import { fixtureOfResult } from '../../domain/compliance/completed-order.ts'
import { noTransition, transitioned } from '../../domain/compliance/outcome.ts'
import { invalidParam, type Params, requiredText } from '../../domain/compliance/params.ts'
import { LIVE_STATUSES } from '../../domain/media-buy/lifecycle.ts'
import { fieldOf } from '../../protocol/field-of.ts'
import { isObject } from '../../protocol/is-object.ts'
import { type Approval, changeApproval, findApproval, OPEN_STATES } from '../../store/approval/approvals.ts'
import type { TaskStatus } from '../../store/task/rows.ts'
import { advanceTask, getTask, type StoredTask } from '../../store/task/tasks.ts'
import type { OrderDocument } from '../media-buy/submit-order.ts'
import type { Scenario } from './scenario.ts'
import { insertSeededMediaBuy } from './seed-library.ts'

/** Statuses that a task can be completed from (AdCP 3.1, comply_test_controller `force_task_completion`). */
const OPEN: readonly TaskStatus[] = ['submitted', 'working', 'input-required']

/** Longest result, as JSON text (same page). */
const MAX_RESULT_LENGTH = 256 * 1024

/**
 * `force_task_completion`: the agent's own task ends with the given result, which polls and webhooks of the task show. A media buy that the result
 * names is there from then on, under the account that the order was for; nothing is booked in an ad server.
 */
export const forceTaskCompletion: Scenario = async (params, context) => {
  const { tx, principal, services, now } = context
  const taskId = requiredText(params, 'task_id')
  const given = resultOf(params)
  const task = await getTask(tx, principal, taskId)
  const result = withSellerMembers(given, task.taskType, context)
  if (!OPEN.includes(task.status)) throw noTransition(task.status, 'completed')
  const [issue] = context.contract.schemas.response(task.taskType)(result)
  if (issue) throw invalidParam(`result.${fieldOf(issue.pointer)}`, issue.message)
  const approval = await endApproval(taskId, context)
  if (task.taskType === 'create_media_buy') await addMediaBuy(result, task, approval, context)
  await advanceTask(tx, principal, task, { status: 'completed', result, message: 'Completed by the compliance controller' }, now)
  services.webhooks.wake()
  return transitioned(task.status, 'completed', `task ${taskId}`)
}

/** Statuses of a media buy that no task has: a result of 3.0 had them in `status`, which is that of the task since 3.1. */
const BUY_STATUSES: readonly unknown[] = LIVE_STATUSES

/** A result with what the seller adds of its own; members that the caller gave stay (same page: "MAY augment"). 3.0 requires none of them, 3.2 the caller to send them. */
function withSellerMembers(result: Params, task: string, { contract, now }: Parameters<Scenario>[1]): Params {
  if (!contract.rules.sellerMembers) return result
  const { status = 'completed', ...rest } = result
  if (task !== 'create_media_buy') return { ...(isDiscovery(task) && { cache_scope: 'account' }), status, ...rest }
  const named = BUY_STATUSES.includes(status) ? { status: 'completed', media_buy_status: status } : { status }
  return { ...named, ...(rest.media_buy_id !== undefined && { confirmed_at: now.toISOString(), revision: 1 }), ...rest }
}

function isDiscovery(task: string): boolean {
  return task === 'get_products' || task === 'get_signals'
}

function resultOf({ result }: Params): Params {
  if (!isObject(result)) throw invalidParam('result', 'must be an object: what the task would have answered')
  if (JSON.stringify(result).length > MAX_RESULT_LENGTH)
    throw invalidParam('result', `has at most ${MAX_RESULT_LENGTH} characters`)
  return result
}

/** Takes the order out of the seller's queue. Throws INVALID_STATE when the seller has decided. */
async function endApproval(taskId: string, { tx, principal, now }: Parameters<Scenario>[1]): Promise<Approval | undefined> {
  const approval = await findApproval(tx, principal.tenantId, taskId)
  if (!approval) return undefined
  if (!OPEN_STATES.includes(approval.state)) throw noTransition(approval.state, 'completed')
  const note = 'completed by the compliance controller'
  if (!(await changeApproval(tx, approval, { state: 'approved', note }, now))) throw noTransition('approving', 'completed')
  return approval
}

async function addMediaBuy(
  result: Params,
  { accountId }: StoredTask,
  approval: Approval | undefined,
  context: Parameters<Scenario>[1],
): Promise<void> {
  if (result.media_buy_id === undefined) throw invalidParam('result', 'needs the media_buy_id of the order that it completes')
  const mediaBuyId = requiredText(result, 'media_buy_id')
  const order: OrderDocument | undefined = approval && JSON.parse(approval.document)
  await insertSeededMediaBuy(mediaBuyId, fixtureOfResult(result, order?.buy), accountId, context)
}

import { randomUUID } from 'node:crypto'
import { invalidParam, oneOf, optionalText } from '../../domain/compliance/params.ts'
import { dropApprovalHold, placeApprovalHold } from '../../store/approval/approval-holds.ts'
import { dropSandboxDirective, placeSandboxDirective } from '../../store/approval/sandbox-directives.ts'
import type { Scenario } from './scenario.ts'

/** Length of a task id and of a message (compliance/comply-test-controller-request.json). */
const TASK_ID_LENGTH = 128
const MESSAGE_LENGTH = 2000

/**
 * `force_create_media_buy_arm`: the agent's next order waits for the seller (`submitted`), or is answered with what it lacks (`input-required`). The later of
 * two directives holds.
 */
export const forceCreateMediaBuyArm: Scenario = async (params, { tx, principal, now }) => {
  const arm = oneOf(params.arm, ['submitted', 'input-required'], 'arm')
  const message = optionalText(params, 'message', MESSAGE_LENGTH)
  const task = 'create_media_buy'
  if (arm === 'input-required') {
    if (params.task_id !== undefined)
      throw invalidParam('task_id', 'belongs to the arm submitted; an order that needs input has no task')
    await dropApprovalHold(tx, principal)
    await placeSandboxDirective(tx, principal, { task, taskId: '', message }, now)
    return { success: true, forced: { arm }, message: 'The next create_media_buy is answered with what it lacks.' }
  }
  const taskId = optionalText(params, 'task_id', TASK_ID_LENGTH) ?? `task_${randomUUID()}`
  await dropSandboxDirective(tx, principal, task)
  await placeApprovalHold(tx, principal, { taskId, message }, now)
  return { success: true, forced: { arm, task_id: taskId }, message: 'The next create_media_buy needs approval.' }
}

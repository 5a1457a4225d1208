import { randomUUID } from 'node:crypto'
import { invalidParam, oneOf, optionalText } from '../../domain/compliance/params.ts'
import { placeApprovalHold } from '../../store/approval/approval-holds.ts'
import type { Scenario } from './scenario.ts'

/** `force_create_media_buy_arm`: the seller wants to approve the agent's next order, which is then answered `submitted`. */
export const forceCreateMediaBuyArm: Scenario = async (params, { tx, principal, now }) => {
  const arm = oneOf(params.arm, ['submitted', 'input-required'], 'arm')
  if (arm !== 'submitted') throw invalidParam('arm', 'this seller asks its buyers only about orders that it has taken in')
  const taskId = optionalText(params, 'task_id') ?? `task_${randomUUID()}`
  const message = params.message
  if (message !== undefined && typeof message !== 'string') throw invalidParam('message', 'must be a text')
  await placeApprovalHold(tx, principal, { taskId, message: message?.slice(0, 2000) }, now)
  return { success: true, forced: { arm, task_id: taskId }, message: 'The next create_media_buy needs approval.' }
}

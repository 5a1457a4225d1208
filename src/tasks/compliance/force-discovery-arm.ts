import { oneOf, optionalText, requiredText } from '../../domain/compliance/params.ts'
import { placeSandboxDirective } from '../../store/approval/sandbox-directives.ts'
import type { Scenario } from './scenario.ts'

/** Length of a task id and of a message (compliance/comply-test-controller-request.json, AdCP 3.1). */
const TASK_ID_LENGTH = 128
const MESSAGE_LENGTH = 2000

/**
 * `force_get_products_arm`, `force_get_signals_arm` (AdCP 3.1): the seller takes time over the agent's next search, which is answered `submitted`
 * under the given task id. Reads of the whole feed are not affected.
 */
export function forceDiscoveryArm(task: 'get_products' | 'get_signals'): Scenario {
  return async (params, { tx, principal, now }) => {
    const arm = oneOf(params.arm, ['submitted'], 'arm')
    const taskId = requiredText(params, 'task_id', TASK_ID_LENGTH)
    const message = optionalText(params, 'message', MESSAGE_LENGTH)
    await placeSandboxDirective(tx, principal, { task, taskId, message }, now)
    return { success: true, forced: { arm, task_id: taskId }, message: `The next search by ${task} is answered as submitted.` }
  }
}

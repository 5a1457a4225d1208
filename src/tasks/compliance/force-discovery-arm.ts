import { invalidParam, oneOf, optionalText, type Params, requiredText } from '../../domain/compliance/params.ts'
import { placeSandboxDirective, type Rejection } from '../../store/approval/sandbox-directives.ts'
import type { Scenario } from './scenario.ts'

/** Length of a task id and of a message (compliance/comply-test-controller-request.json, AdCP 3.1). */
const TASK_ID_LENGTH = 128
const MESSAGE_LENGTH = 2000
/** Suggestions of a rejection, and the length of each (same file, AdCP 3.2). */
const MOST_SUGGESTIONS = 20
const SUGGESTION_LENGTH = 1000

/**
 * `force_get_products_arm`, `force_get_signals_arm` (AdCP 3.1): the seller takes time over the agent's next search, which is answered `submitted`
 * under the given task id. In a release that has the answer `rejected` it may decline a search for products instead. Reads of the whole feed are not affected.
 */
export function forceDiscoveryArm(task: 'get_products' | 'get_signals'): Scenario {
  return async (params, { tx, principal, contract, now }) => {
    const declines = task === 'get_products' && contract.rules.declinedSearches === true
    const arm = oneOf(params.arm, declines ? ['submitted', 'rejected'] : ['submitted'], 'arm')
    if (arm === 'rejected') {
      const rejection = rejectionIn(params)
      await placeSandboxDirective(tx, principal, { task, taskId: '', message: undefined, rejection }, now)
      return { success: true, forced: { arm, ...rejection }, message: `The next search by ${task} under AdCP 3.2 is declined.` }
    }
    if (params.reason !== undefined || params.suggestions !== undefined)
      throw invalidParam(params.reason === undefined ? 'suggestions' : 'reason', 'belongs to the arm rejected; leave it out')
    const taskId = requiredText(params, 'task_id', TASK_ID_LENGTH)
    const message = optionalText(params, 'message', MESSAGE_LENGTH)
    await placeSandboxDirective(tx, principal, { task, taskId, message }, now)
    return { success: true, forced: { arm, task_id: taskId }, message: `The next search by ${task} is answered as submitted.` }
  }
}

function rejectionIn(params: Params): Rejection {
  for (const name of ['task_id', 'message'])
    if (params[name] !== undefined)
      throw invalidParam(name, 'belongs to the arm submitted; a search that is declined has no task')
  const reason = requiredText(params, 'reason', MESSAGE_LENGTH)
  return params.suggestions === undefined ? { reason } : { reason, suggestions: suggestionsIn(params.suggestions) }
}

function suggestionsIn(value: unknown): readonly string[] {
  const isList = Array.isArray(value) && value.length > 0 && value.length <= MOST_SUGGESTIONS
  if (isList && value.every((each) => typeof each === 'string' && each !== '' && each.length <= SUGGESTION_LENGTH)) return value
  throw invalidParam('suggestions', `must be 1 to ${MOST_SUGGESTIONS} texts of 1 to ${SUGGESTION_LENGTH} characters`)
}

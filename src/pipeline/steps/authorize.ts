import { hasScope, type Principal } from '../../domain/identity/principal.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { nearestName } from '../../protocol/nearest-name.ts'
import { changesState } from '../mutating.ts'
import type { Step } from '../state.ts'
import type { Task } from '../task.ts'
import { taskInstead } from '../task-instead.ts'

/** Whether a task exists for this caller: the controller does for sandbox agents only. */
export function isVisible(task: Pick<Task, 'sandboxOnly'>, principal: Pick<Principal, 'sandbox'> | undefined): boolean {
  return !task.sandboxOnly || principal?.sandbox === true
}

/** Whether the scopes of a known caller cover a task. */
export function isCovered({ access, scope }: Pick<Task, 'access' | 'scope'>, principal: Principal): boolean {
  // What a limited task shows to principals is not for the holder of a list's token.
  const isGuarded = access === 'authenticated' || (access === 'limited' && principal.confinedTo !== undefined)
  return !isGuarded || hasScope(principal.scopes, scope)
}

/**
 * Existence and scope; `authenticate` has dropped a task that this caller cannot see. To a caller without the scope a limited task answers what
 * it answers to everybody, as to a caller without credentials; a call that changes something needs the scope.
 */
export const authorize: Step = async (state, next) => {
  const { task, principal } = state
  if (!task) {
    const visible = [...state.deps.tasks].filter(([, each]) => isVisible(each, principal)).map(([name]) => name)
    const { call, contract } = state
    const near = nearestName(call.tool, visible)
    const does = taskInstead(call.tool)
    const hint = near === undefined ? 'see tools/list or the agent card' : `did you mean ${near}?`
    const other = does === undefined ? hint : `under AdCP ${contract.line} ${does}`
    throw new AdcpError('INVALID_REQUEST', `there is no such task here; ${other}`, { field: 'name' })
  }
  const isChange = changesState(task, state.call.arguments)
  if (principal && !(isCovered(task, principal) && (!isChange || hasScope(principal.scopes, task.scope)))) {
    throw new AdcpError('INSUFFICIENT_PERMISSIONS', `${task.name} needs the scope adcp:${task.scope}`, {
      suggestion: 'ask the publisher for a key with this scope',
    })
  }
  if (principal && task.access === 'limited' && !hasScope(principal.scopes, task.scope)) {
    const { principal: _unseen, ...limited } = state
    return next(limited)
  }
  return next(state)
}

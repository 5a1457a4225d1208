import { hasScope, type Principal } from '../../domain/identity/principal.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { nearestName } from '../../protocol/nearest-name.ts'
import type { Step } from '../state.ts'
import type { Task } from '../task.ts'

/** Whether a task exists for this caller: the controller does for sandbox agents only. */
export function isVisible(task: Pick<Task, 'sandboxOnly'>, principal: Principal | undefined): boolean {
  return !task.sandboxOnly || principal?.sandbox === true
}

/** Whether the scopes of a known caller cover a task. */
export function isCovered({ access, scope }: Pick<Task, 'access' | 'scope'>, principal: Principal): boolean {
  // What a limited task shows to principals is not for the holder of a list's token.
  const isGuarded = access === 'authenticated' || (access === 'limited' && principal.confinedTo !== undefined)
  return !isGuarded || hasScope(principal.scopes, scope)
}

/** Existence and scope. `authenticate` has dropped a task that this caller cannot see. */
export const authorize: Step = async (state, next) => {
  const { task, principal } = state
  if (!task) {
    const visible = [...state.deps.tasks].filter(([, each]) => isVisible(each, principal)).map(([name]) => name)
    const near = nearestName(state.call.tool, visible)
    const hint = near === undefined ? 'see tools/list or the agent card' : `did you mean ${near}?`
    throw new AdcpError('INVALID_REQUEST', `there is no such task here; ${hint}`, { field: 'name' })
  }
  if (principal && !isCovered(task, principal)) {
    throw new AdcpError('INSUFFICIENT_PERMISSIONS', `${task.name} needs the scope adcp:${task.scope}`, {
      suggestion: 'ask the publisher for a key with this scope',
    })
  }
  return next(state)
}

import { hasScope } from '../auth/principals.ts'
import { AdcpError } from '../errors.ts'
import type { Step } from './state.ts'

/** Visibility and scope. A task that this caller cannot see answers exactly like one that does not exist. */
export const authorize: Step = async (state, next) => {
  const { task, principal } = state
  if (!task || (task.sandboxOnly && principal?.sandbox !== true)) {
    throw new AdcpError('INVALID_REQUEST', 'there is no such task here; see tools/list', { field: 'name' })
  }
  // What a limited task shows to principals is not for the holder of a list's token.
  const isGuarded = task.access === 'authenticated' || (task.access === 'limited' && principal?.confinedTo !== undefined)
  if (principal && isGuarded && !hasScope(principal.scopes, task.scope)) {
    throw new AdcpError('INSUFFICIENT_PERMISSIONS', `${task.name} needs the scope adcp:${task.scope}`, {
      suggestion: 'ask the publisher for a key with this scope',
    })
  }
  return next(state)
}

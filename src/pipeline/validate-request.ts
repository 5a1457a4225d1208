import { AdcpError } from '../errors.ts'
import { fieldOf } from '../protocol/schemas.ts'
import type { Step } from './state.ts'

/** Holds the arguments against the full official request schema. */
export const validateRequest: Step = async (state, next) => {
  const { call, deps, task } = state
  const request = call.arguments ?? {}
  if (!task || typeof request !== 'object' || Array.isArray(request))
    throw new AdcpError('INVALID_REQUEST', 'the arguments must be an object')
  const issues = deps.schemas.request(task.name)(request)
  // Asked for here, since its first use loads it, and where it is used a transaction is open.
  deps.schemas.response(task.name)
  const first = issues[0]
  if (first) {
    const field = fieldOf(first.pointer)
    throw new AdcpError('INVALID_REQUEST', `${field === '' ? 'the request' : field} ${first.message}`, { field, issues })
  }
  return next({ ...state, request })
}

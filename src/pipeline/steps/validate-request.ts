import { withoutUndeclaredEnvelope } from '../../protocol/envelope-members.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { fieldOf } from '../../protocol/schemas.ts'
import { declaresField } from '../declared-fields.ts'
import type { State, Step } from '../state.ts'

/** Holds the arguments against the full official request schema. Envelope members that a closed schema does not name are allowed beside it. */
export const validateRequest: Step = async (state, next) => {
  const { call, deps, task } = state
  const request = call.arguments ?? {}
  if (!task || typeof request !== 'object' || Array.isArray(request))
    throw new AdcpError('INVALID_REQUEST', 'the arguments must be an object')
  const issues = deps.schemas.request(task.name)(withoutUndeclaredEnvelope(request, deps.schemas.requestDocument(task.name)))
  // Asked for here, since its first use loads it, and where it is used a transaction is open.
  deps.schemas.response(task.name)
  const first = issues[0]
  if (first) {
    const field = fieldOf(first.pointer)
    throw new AdcpError('INVALID_REQUEST', `${field === '' ? 'the request' : field} ${first.message}`, { field, issues })
  }
  checkUndeclaredKey(state, request)
  return next({ ...state, request })
}

/** AdCP security page, "Idempotency": the form of a key, which the schemas of tasks that change something have as well. */
const KEY_FORM = /^[A-Za-z0-9_.:-]{16,255}$/

/** A key counts on every task, so its form is held where the task's schema has no such member. */
function checkUndeclaredKey({ task, deps }: State, request: object): void {
  if (!task || !('idempotency_key' in request) || declaresField(deps.schemas, task.name, ['idempotency_key'])) return
  const { idempotency_key: key } = request
  if (typeof key === 'string' && KEY_FORM.test(key)) return
  const message = 'idempotency_key must be 16 to 255 characters of A-Z, a-z, 0-9, "_", ".", ":" and "-"'
  throw new AdcpError('INVALID_REQUEST', message, { field: 'idempotency_key', suggestion: 'send a new UUID, or leave it out' })
}

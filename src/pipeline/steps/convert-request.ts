import { withoutUndeclaredEnvelope } from '../../protocol/envelope-members.ts'
import { AdcpError, type Issue } from '../../protocol/errors.ts'
import { fieldOf } from '../../protocol/field-of.ts'
import { faultsError } from '../faults-error.ts'
import { reviewMembers } from '../review-members.ts'
import type { State, Step } from '../state.ts'
import { withoutMembers } from '../without-members.ts'

/**
 * Brings a valid request into the model that the tasks are written in. Members that only the caller's release names are examined once more: one that
 * limits spending and is not carried out here is UNSUPPORTED_FEATURE, the others have no effect and are listed in the answer. So is a value that only
 * the caller's release knows.
 */
export const convertRequest: Step = async (state, next) => {
  const { contract, deps, task } = state
  const { base } = deps.contracts
  if (contract.isBase || !task || !state.request) return next(state)
  const request = contract.requestForTask(task.name, { ...state.request }, deps.services.wiring)
  if (!base.has(task.name)) return next({ ...state, request })
  const { unsupported, ignored } = reviewMembers(base, task, request)
  if (unsupported.length > 0) throw faultsError('UNSUPPORTED_FEATURE', unsupported)
  const issues = base.schemas.request(task.name)(withoutUndeclaredEnvelope(request, base.schemas.requestDocument(task.name)))
  const unnamed = issues.filter(({ keyword }) => keyword === 'additionalProperties')
  const unknown = issues.filter((issue) => !unnamed.includes(issue) && !task.takesForm?.(issue, request))
  if (unknown.length > 0) throw notCarriedOut(state, unknown)
  const fields = unnamed.map(({ pointer }) => fieldOf(pointer))
  return next({
    ...state,
    request: withoutMembers(request, unnamed),
    ignored: [...new Set([...(state.ignored ?? []), ...ignored, ...fields])],
  })
}

function notCarriedOut({ contract }: State, issues: readonly Issue[]): AdcpError {
  const error = faultsError('UNSUPPORTED_FEATURE', issues)
  const message = `this form of AdCP ${contract.line} is not carried out here: ${error.message}`
  return new AdcpError('UNSUPPORTED_FEATURE', message, { ...(error.field !== undefined && { field: error.field }), issues })
}

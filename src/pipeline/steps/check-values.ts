import { AdcpError } from '../../protocol/errors.ts'
import { findUnfitValue } from '../find-unfit-value.ts'
import type { Step } from '../state.ts'
import { taskLimits } from '../value-bounds.ts'

/**
 * Refuses arguments with values beyond the general bounds (`value-bounds.ts`), with INVALID_REQUEST naming the field. It comes before
 * the official schema, which sets few bounds of its own.
 */
export const checkValues: Step = async (state, next) => {
  const { call, task } = state
  const found = findUnfitValue(call.arguments, taskLimits(task?.name ?? ''))
  if (found) {
    const { field, problem } = found
    throw new AdcpError('INVALID_REQUEST', `${field === '' ? 'the request' : field} ${problem}`, { field })
  }
  return next(state)
}

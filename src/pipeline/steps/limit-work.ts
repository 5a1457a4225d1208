import { AdcpError } from '../../protocol/errors.ts'
import type { Step } from '../state.ts'
import { MOST_STEPS } from '../task.ts'
import { countCall } from './limit-rate.ts'
import { contextOf } from './replay.ts'

/** A call that takes more counts as several. */
const STEPS_OF_A_CALL = 10_000

/**
 * Holds a task to what its inputs cost together, where it says so (`work`): more than {@link MOST_STEPS} is INVALID_REQUEST, and what costs as much as several
 * calls uses up as many of its caller's window. It comes before the idempotency key is claimed.
 */
export const limitWork: Step = async (state, next) => {
  const { task, request } = state
  const work = request && (await task?.work?.(request, contextOf(state)))
  if (!work) return next(state)
  const { steps, product, field, suggestion } = work
  if (steps > MOST_STEPS) {
    state.deps.refused?.('work', task?.name ?? '')
    // Just beyond the bound is not "1 times".
    const times = Math.max(1.1, Math.round((10 * steps) / MOST_STEPS) / 10)
    throw new AdcpError('INVALID_REQUEST', `${field}: ${product} make ${times} times the work that one call may ask for`, {
      field,
      suggestion,
    })
  }
  const calls = Math.floor(steps / STEPS_OF_A_CALL)
  if (calls > 0) await countCall(state, calls)
  return next(state)
}

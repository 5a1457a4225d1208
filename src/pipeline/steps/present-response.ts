import { presentAnswer } from '../present-answer.ts'
import type { Step } from '../state.ts'

/**
 * Shows the answer as the caller's release does and holds it against that release's schema. Runs inside `replay`, in the transaction of the effect: an
 * answer that cannot be given takes the effect back. The answer as the task made it goes along, to be stored.
 */
export const presentResponse: Step = async (state, next) => {
  const { contract, task } = state
  const result = await next(state)
  if (!task) return result
  return { ...result, neutral: result.payload, payload: presentAnswer(contract, task.name, result.payload) }
}

import { fieldOf } from '../protocol/schemas.ts'
import type { Step } from './state.ts'

/**
 * Holds the payload against the official response schema. Runs inside `replay`: an invalid response is never stored. A frozen payload
 * is one that its task keeps and answers again: what was valid once needs no second look.
 */
export const validateResponse: Step = async (state, next) => {
  const result = await next(state)
  const { validAnswers } = state.deps
  if (!state.task || validAnswers.has(result.payload)) return result
  const issues = state.deps.schemas.response(state.task.name)(result.payload)
  if (issues.length > 0) {
    const where = issues.map((issue) => `${fieldOf(issue.pointer)} ${issue.message}`).join('; ')
    throw new Error(`${state.task.name} made a response that its schema refuses: ${where}`)
  }
  if (Object.isFrozen(result.payload)) validAnswers.add(result.payload)
  return result
}

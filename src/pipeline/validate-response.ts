import { fieldOf } from '../protocol/schemas.ts'
import type { Step } from './state.ts'

/** Holds the payload against the official response schema. Runs inside `replay`: an invalid response is never stored. */
export const validateResponse: Step = async (state, next) => {
  const result = await next(state)
  if (!state.task) return result
  const issues = state.deps.schemas.response(state.task.name)(result.payload)
  if (issues.length > 0) {
    const where = issues.map((issue) => `${fieldOf(issue.pointer)} ${issue.message}`).join('; ')
    throw new Error(`${state.task.name} made a response that its schema refuses: ${where}`)
  }
  return result
}

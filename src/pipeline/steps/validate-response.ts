import { fieldOf, type Schemas, type Validate } from '../../protocol/schemas.ts'
import type { Step } from '../state.ts'
import { withRecovery } from '../with-recovery.ts'

/** Holds the payload against the official response schema. Runs inside `replay`: an invalid response is never stored. */
export const validateResponse: Step = async (state, next) => {
  const made = await next(state)
  const result = { ...made, payload: withRecovery(made.payload, state.contract.recoveryOf) }
  if (!state.task) return result
  const issues = validatorOf(state.contract.schemas, state.task.name, result.payload)(result.payload)
  if (issues.length > 0) {
    const where = issues.map((issue) => `${fieldOf(issue.pointer)} ${issue.message}`).join('; ')
    throw new Error(`${state.task.name} made a response that its schema refuses: ${where}`)
  }
  return result
}

/**
 * Where the release gives a task a schema for `submitted` of its own, the response schema need not have that form too (in 3.0
 * update_media_buy has it only there); what is common to all tasks comes from the envelope (core/protocol-envelope: status, task_id).
 */
function validatorOf(schemas: Schemas, task: string, { status, task_id }: Readonly<Record<string, unknown>>): Validate {
  const response = schemas.response(task)
  if (status !== 'submitted' || typeof task_id !== 'string') return response
  const interim = schemas.interim(task, status)
  return (payload) => {
    const issues = response(payload)
    return issues.length > 0 && interim ? interim(payload) : issues
  }
}

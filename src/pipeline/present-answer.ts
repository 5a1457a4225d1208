import type { Contract } from '../protocol/contract.ts'
import { fieldOf } from '../protocol/field-of.ts'
import type { Schemas, Validate } from '../protocol/schemas.ts'
import type { Result } from './state.ts'
import { withRecovery } from './with-recovery.ts'

type Payload = Result['payload']

/**
 * What a task answers, as a release shows it, held against that release's response schema. Throws when the schema refuses it.
 */
export function presentAnswer(contract: Contract, task: string, answer: Payload): Payload {
  const payload = contract.answerOf(task, withRecovery(answer, contract.recoveryOf))
  const issues = validatorOf(contract.schemas, task, payload)(payload)
  if (issues.length > 0) {
    const where = issues.map((issue) => `${fieldOf(issue.pointer)} ${issue.message}`).join('; ')
    throw new Error(`${task} made a response that the schema of AdCP ${contract.line} refuses: ${where}`)
  }
  return payload
}

/**
 * Where the release gives a task a schema for `submitted` of its own, the response schema need not have that form too (in 3.0
 * update_media_buy has it only there); what is common to all tasks comes from the envelope (core/protocol-envelope: status, task_id).
 */
function validatorOf(schemas: Schemas, task: string, { status, task_id }: Payload): Validate {
  const response = schemas.response(task)
  if (status !== 'submitted' || typeof task_id !== 'string') return response
  const interim = schemas.interim(task, status)
  return (payload) => {
    const issues = response(payload)
    return issues.length > 0 && interim ? interim(payload) : issues
  }
}

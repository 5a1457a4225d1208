import { type LastAct, lastActOn } from '../operator/audit/last-act.ts'
import { AdcpError } from '../protocol/errors.ts'
import { span } from './format.ts'
import { activityOf, DECISIONS } from './parts/activity-words.ts'
import type { TenantCall } from './route.ts'

/** Codes of decisions that came too late. */
const OVERTAKEN = ['INVALID_STATE', 'CONFLICT']

/** A decision on something that is no longer as the page showed it: its buttons are those of the state that the page was made for. */
export class OvertakenError extends AdcpError {}

/**
 * Runs a decision on something; `subjects` are the ids by which the audit log names it. When somebody else came first, the error says who, what and when: throws
 * an OvertakenError, the error of the decision with that in its message.
 */
export async function decideUnlessDecided<T>(call: TenantCall, subjects: readonly string[], run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof AdcpError) || !OVERTAKEN.includes(error.code)) throw error
    const message = await explained(call, subjects, error)
    throw new OvertakenError(error.code, message, { cause: error, ...(error.field !== undefined && { field: error.field }) })
  }
}

/** The message of a refused decision, with who was first, when and what where that is the reason. */
export async function explained(
  call: TenantCall,
  subjects: readonly string[],
  { code, message }: { readonly code: string; readonly message: string },
): Promise<string> {
  const first = OVERTAKEN.includes(code) && (await whoDecided(call, subjects))
  return first ? `${message}. ${sentence(call, first)}` : message
}

/** Who decided on something last, in words; undefined when the audit log names no person. */
export async function decidedBy(call: TenantCall, subjects: readonly string[]): Promise<string | undefined> {
  const act = await whoDecided(call, subjects)
  return act && sentence(call, act)
}

function whoDecided({ operator, tenantId }: TenantCall, subjects: readonly string[]): Promise<LastAct | undefined> {
  return lastActOn(operator, tenantId, { tasks: DECISIONS, subjects })
}

function sentence({ operator, person }: TenantCall, { by, who: id, task, at }: LastAct): string {
  const who = id === `person:${person.username}` ? 'You' : by
  const ago = span(operator.clock().getTime() - Date.parse(at))
  // What an approval is about has a page of many kinds; the others name it.
  const did = `${activityOf(task) ?? 'decided on'}${task.startsWith('approvals.') ? ' it' : ''}`
  return `${who} ${did} ${ago} ago.`
}

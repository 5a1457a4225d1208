import { type LastAct, lastActOn } from '../operator/audit/last-act.ts'
import { AdcpError } from '../protocol/errors.ts'
import { span } from './format.ts'
import type { TenantCall } from './route.ts'

/** Acts by which a person decides, with what they did in words. */
const DECISIONS: Readonly<Record<string, string>> = {
  'approvals.approve': 'approved it',
  'approvals.reject': 'rejected it',
  'approvals.ask': 'asked the buyer about it',
  'creatives.approve': 'approved it',
  'creatives.reject': 'rejected it',
  'creatives.purge': 'destroyed it',
  'rights.approve': 'approved it',
  'rights.reject': 'rejected it',
  'governance.approved': 'approved it',
  'governance.rejected': 'rejected it',
  'direct-orders.change': 'changed it',
  'direct-orders.end': 'ended it',
  'direct-orders.pause': 'paused it',
  'direct-orders.put': 'entered it',
  'direct-orders.resume': 'resumed it',
  'orders.pause': 'paused it',
  'orders.resume': 'resumed it',
  'orders.cancel': 'canceled it',
  'orders.extend': 'extended it',
}

/**
 * Runs a decision on something; `subjects` are the ids by which the audit log names it. When somebody else came first, the error says who, what and when: throws
 * the error of the decision with that in its message.
 */
export async function decideUnlessDecided<T>(call: TenantCall, subjects: readonly string[], run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof AdcpError)) throw error
    const message = await explained(call, subjects, error)
    if (message === error.message) throw error
    throw new AdcpError(error.code, message, { cause: error, ...(error.field !== undefined && { field: error.field }) })
  }
}

/** The message of a refused decision, with who was first, when and what where that is the reason. */
export async function explained(
  call: TenantCall,
  subjects: readonly string[],
  { code, message }: { readonly code: string; readonly message: string },
): Promise<string> {
  const first = ['INVALID_STATE', 'CONFLICT'].includes(code) && (await whoDecided(call, subjects))
  return first ? `${message}. ${sentence(call, first)}` : message
}

/** Who decided on something last, in words; undefined when the audit log names no person. */
export async function decidedBy(call: TenantCall, subjects: readonly string[]): Promise<string | undefined> {
  const act = await whoDecided(call, subjects)
  return act && sentence(call, act)
}

function whoDecided({ operator, tenantId }: TenantCall, subjects: readonly string[]): Promise<LastAct | undefined> {
  return lastActOn(operator, tenantId, { tasks: Object.keys(DECISIONS), subjects })
}

function sentence({ operator, person }: TenantCall, { by, who: id, task, at }: LastAct): string {
  const who = id === `person:${person.username}` ? 'You' : by
  const ago = span(operator.clock().getTime() - Date.parse(at))
  return `${who} ${DECISIONS[task] ?? 'decided on it'} ${ago} ago.`
}

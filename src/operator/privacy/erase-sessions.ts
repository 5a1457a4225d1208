import { AdcpError } from '../../protocol/errors.ts'
import { eraseSessions as eraseStoredSessions } from '../../store/si/si-sessions.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'

/**
 * Erases who took part in sponsored conversations and what was said: in one session, or in all that were last active before an ISO 8601 time. Gives how many.
 * Throws INVALID_REQUEST unless exactly one of them is given.
 */
export async function eraseSessions(
  context: OperatorContext,
  input: { readonly tenantId: string; readonly sessionId?: string | undefined; readonly before?: string | undefined },
): Promise<number> {
  const which = whichOf(input)
  const store = auditedStore(context, { task: 'sessions.erase', tenant: input.tenantId })
  return store.transaction((tx) => eraseStoredSessions(tx, input.tenantId, which))
}

function whichOf({
  sessionId,
  before,
}: {
  readonly sessionId?: string | undefined
  readonly before?: string | undefined
}): Parameters<typeof eraseStoredSessions>[2] {
  if (sessionId !== undefined && before === undefined) return { sessionId }
  const at = new Date(before ?? '')
  if (sessionId === undefined && !Number.isNaN(at.getTime())) return { before: at }
  throw new AdcpError('INVALID_REQUEST', 'give either --session or --before with an ISO 8601 time', { field: 'session' })
}

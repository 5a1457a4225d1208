import { noTransition, transitioned } from '../../domain/compliance/outcome.ts'
import { oneOf, requiredText } from '../../domain/compliance/params.ts'
import {
  ended,
  SESSION_STATUSES,
  type Session,
  type SessionStatus,
  sessionStatus,
  TERMINATION_REASONS,
  type TerminationReason,
  TRANSITIONS,
} from '../../domain/si/session.ts'
import { getSession, saveSession } from '../../store/si/si-sessions.ts'
import type { Scenario } from './scenario.ts'

/** `force_session_status`: what the host, the brand or the clock would make of a conversation. */
export const forceSessionStatus: Scenario = async (params, { tx, principal, now }) => {
  const sessionId = requiredText(params, 'session_id')
  const status = oneOf(params.status, SESSION_STATUSES, 'status')
  const reason =
    params.termination_reason === undefined
      ? undefined
      : oneOf(params.termination_reason, TERMINATION_REASONS, 'termination_reason')
  const { session, sealed } = await getSession(tx, principal, sessionId)
  const before = sessionStatus(session, now)
  if (before === status) return transitioned(before, status, 'session')
  if (!TRANSITIONS[before].includes(status)) throw noTransition(before, status)
  await saveSession(tx, principal, session, { session: brought(session, status, reason, now), sealed })
  return transitioned(before, status, 'session')
}

function brought(session: Session, status: SessionStatus, reason: TerminationReason | undefined, now: Date): Session {
  if (status === 'complete') return ended(session, reason === 'handoff_transaction' ? reason : 'handoff_complete', now)
  if (status === 'terminated') return { ...ended(session, 'host_terminated', now), endedReason: reason ?? 'host_terminated' }
  return { ...session, state: status, lastActiveAt: now.toISOString() }
}

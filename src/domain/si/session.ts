import { AdcpError } from '../../protocol/errors.ts'
import type { ConversationCapabilities } from '../brand/conversation.ts'

/** AdCP enums/si-session-status. */
export const SESSION_STATUSES = ['active', 'pending_handoff', 'complete', 'terminated'] as const
export type SessionStatus = (typeof SESSION_STATUSES)[number]

/** What ends a session. */
export const TERMINATION_REASONS = [
  'handoff_transaction',
  'handoff_complete',
  'user_exit',
  'session_timeout',
  'host_terminated',
] as const
export type TerminationReason = (typeof TERMINATION_REASONS)[number]

/** What is known of a session besides its status; nothing in it is about the user. */
export interface SessionFacts {
  readonly placement?: string
  readonly mediaBuyId?: string
  readonly capabilities: ConversationCapabilities
  /** Ids of the products that the user has been shown last, in their order: what "the second one" means. */
  readonly shown: readonly string[]
  /** What the user wants to buy. */
  readonly wanted?: string
  /** Whether the user agreed to share who they are, and how far. */
  readonly consent: {
    readonly granted: boolean
    readonly at?: string
    readonly scope?: readonly string[]
    readonly policyVersion?: string
  }
}

export interface Session {
  readonly sessionId: string
  readonly offeringId: string | undefined
  /** As decided; that time has run out is not. */
  readonly state: SessionStatus
  readonly endedReason: TerminationReason | undefined
  readonly endedAt: string | undefined
  readonly lastActiveAt: string
  readonly ttlSeconds: number
  readonly facts: SessionFacts
  /** Messages of the user so far: also what a write is checked against. */
  readonly turns: number
  readonly createdAt: string
}

/** Where a session can go from each status. */
export const TRANSITIONS: Readonly<Record<SessionStatus, readonly SessionStatus[]>> = {
  active: ['pending_handoff', 'complete', 'terminated'],
  pending_handoff: ['active', 'complete', 'terminated'],
  complete: [],
  terminated: [],
}

/** Half an hour without a message ends a conversation. */
export const SESSION_TTL_SECONDS = 1800

/** Status at a moment: a conversation without a further message has timed out. */
export function sessionStatus(session: Session, now: Date): SessionStatus {
  if (TRANSITIONS[session.state].length === 0) return session.state
  return timesOutAt(session) <= now.getTime() ? 'terminated' : session.state
}

function timesOutAt({ lastActiveAt, ttlSeconds }: Session): number {
  return Date.parse(lastActiveAt) + ttlSeconds * 1000
}

/** Why a session ended; undefined while it goes on. */
export function endReason(session: Session, now: Date): TerminationReason | undefined {
  if (TRANSITIONS[session.state].length === 0) return session.endedReason
  return timesOutAt(session) <= now.getTime() ? 'session_timeout' : undefined
}

/** Throws SESSION_TERMINATED unless the session takes messages. */
export function requireOpen(session: Session, now: Date): void {
  const status = sessionStatus(session, now)
  if (TRANSITIONS[status].length > 0) return
  const reason = endReason(session, now)
  throw new AdcpError('SESSION_TERMINATED', `the session is over${reason === undefined ? '' : ` (${reason})`}`, {
    field: 'session_id',
    suggestion: 'begin a new one with si_initiate_session',
    details: { session_status: status, ...(reason !== undefined && { reason }) },
  })
}

/** The status in which a reason leaves a session (AdCP si_terminate_session). */
export function statusAfter(reason: TerminationReason): 'complete' | 'terminated' {
  return reason === 'handoff_transaction' || reason === 'handoff_complete' ? 'complete' : 'terminated'
}

/** A session that ends. One that is over stays as it is, however often it is ended. */
export function ended(session: Session, reason: TerminationReason, now: Date): Session {
  const timedOut = endReason(session, now)
  if (TRANSITIONS[session.state].length === 0) return session
  const final = timedOut ?? reason
  return { ...session, state: statusAfter(final), endedReason: final, endedAt: now.toISOString() }
}

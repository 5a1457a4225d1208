import type { SessionStatus, TerminationReason } from '../../domain/si/session.ts'

export interface SiSessionTables {
  si_sessions: {
    tenant_id: string
    session_id: string
    principal_id: string
    offering_id: string | null
    state: SessionStatus
    ended_reason: TerminationReason | null
    ended_at: string | null
    last_active_at: string
    ttl_seconds: number
    /** What is known of the session and not of its user, as JSON. */
    facts: string
    /** Who the user is, as far as they agreed to share it: sealed; erased when the session ends. */
    identity: string | null
    /** What was said: sealed; erased when the session ends. */
    transcript: string | null
    turns: number
    created_at: string
  }
  si_offering_tokens: {
    /** SHA-256 of the token. */
    token_hash: string
    tenant_id: string
    principal_id: string
    offering_id: string
    /** Ids of the products that the user was shown, in their order, as JSON. */
    shown: string
    expires_at: string
  }
}

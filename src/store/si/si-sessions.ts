import { hash } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { Session } from '../../domain/si/session.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../database.ts'
import type { SiSessionTables } from './rows.ts'

/** What of a session is personal, sealed. */
export interface Sealed {
  readonly identity: string | undefined
  readonly transcript: string | undefined
}

/** A session with what of it is sealed. */
export interface StoredSession {
  readonly session: Session
  readonly sealed: Sealed
}

/** Stores a new session. */
export async function insertSession(tx: Db, owner: PrincipalRef, { session, sealed }: StoredSession): Promise<void> {
  await tx
    .insertInto('si_sessions')
    .values({
      tenant_id: owner.tenantId,
      session_id: session.sessionId,
      principal_id: owner.principalId,
      offering_id: session.offeringId ?? null,
      ...contentOf(session, sealed),
      created_at: session.createdAt,
    })
    .execute()
}

/** A session of the agent. Throws SESSION_NOT_FOUND for an absent one and for another's alike. */
export async function getSession(db: Db, owner: PrincipalRef, sessionId: string): Promise<StoredSession> {
  const row = await db
    .selectFrom('si_sessions')
    .selectAll()
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('session_id', '=', sessionId)
    .executeTakeFirst()
  if (!row) throw new AdcpError('SESSION_NOT_FOUND', 'there is no such session', { field: 'session_id' })
  return storedOf(row)
}

/**
 * Saves a session, if it is still as `before`. Throws CONFLICT when another message or its end came first. One that is over keeps nothing that
 * is sealed.
 */
export async function saveSession(
  tx: Db,
  owner: PrincipalRef,
  before: Session,
  { session, sealed }: StoredSession,
): Promise<void> {
  const isOver = session.endedAt !== undefined
  const { numUpdatedRows } = await tx
    .updateTable('si_sessions')
    .set(contentOf(session, isOver ? { identity: undefined, transcript: undefined } : sealed))
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('session_id', '=', session.sessionId)
    .where('turns', '=', before.turns)
    .where('state', '=', before.state)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n)
    throw new AdcpError('CONFLICT', 'the session went on at the same time; send the request again', { field: 'session_id' })
}

/** Erases what is sealed in sessions that timed out, and tokens that are over. Returns sessions erased. */
export async function sweepSessions(tx: Db, now: Date, longestTtlSeconds: number): Promise<number> {
  const at = now.toISOString()
  await tx.deleteFrom('si_offering_tokens').where('expires_at', '<=', at).execute()
  const idleSince = new Date(now.getTime() - longestTtlSeconds * 1000).toISOString()
  const { numUpdatedRows } = await tx
    .updateTable('si_sessions')
    .set({ identity: null, transcript: null })
    .where('last_active_at', '<=', idleSince)
    .where((e) => e.or([e('identity', 'is not', null), e('transcript', 'is not', null)]))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Erases what is sealed in a publisher's sessions: in one, or in all that were last active before a moment. Returns sessions erased. */
export async function eraseSessions(
  tx: Db,
  tenantId: string,
  which: { readonly sessionId: string } | { readonly before: Date },
): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('si_sessions')
    .set({ identity: null, transcript: null })
    .where('tenant_id', '=', tenantId)
    .where((e) =>
      'sessionId' in which ? e('session_id', '=', which.sessionId) : e('last_active_at', '<', which.before.toISOString()),
    )
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Keeps what a user was shown before a session, under a token. */
export async function insertOfferingToken(
  tx: Db,
  owner: PrincipalRef,
  token: string,
  offer: { readonly offeringId: string; readonly shown: readonly string[]; readonly expiresAt: Date },
): Promise<void> {
  await tx
    .insertInto('si_offering_tokens')
    .values({
      token_hash: hashOf(token),
      tenant_id: owner.tenantId,
      principal_id: owner.principalId,
      offering_id: offer.offeringId,
      shown: JSON.stringify(offer.shown),
      expires_at: offer.expiresAt.toISOString(),
    })
    .execute()
}

/** What was shown under a token of the agent that still holds. */
export async function findOfferingToken(
  db: Db,
  owner: PrincipalRef,
  token: string,
  now: Date,
): Promise<{ readonly offeringId: string; readonly shown: readonly string[] } | undefined> {
  const row = await db
    .selectFrom('si_offering_tokens')
    .selectAll()
    .where('token_hash', '=', hashOf(token))
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('expires_at', '>', now.toISOString())
    .executeTakeFirst()
  return row && { offeringId: row.offering_id, shown: JSON.parse(row.shown) }
}

function hashOf(token: string): string {
  return hash('sha256', token, 'base64url')
}

function contentOf(session: Session, { identity, transcript }: Sealed) {
  return {
    state: session.state,
    ended_reason: session.endedReason ?? null,
    ended_at: session.endedAt ?? null,
    last_active_at: session.lastActiveAt,
    ttl_seconds: session.ttlSeconds,
    facts: JSON.stringify(session.facts),
    identity: identity ?? null,
    transcript: transcript ?? null,
    turns: session.turns,
  }
}

function storedOf(row: Selectable<SiSessionTables['si_sessions']>): StoredSession {
  return {
    session: {
      sessionId: row.session_id,
      offeringId: row.offering_id ?? undefined,
      state: row.state,
      endedReason: row.ended_reason ?? undefined,
      endedAt: row.ended_at ?? undefined,
      lastActiveAt: row.last_active_at,
      ttlSeconds: row.ttl_seconds,
      facts: JSON.parse(row.facts),
      turns: row.turns,
      createdAt: row.created_at,
    },
    sealed: { identity: row.identity ?? undefined, transcript: row.transcript ?? undefined },
  }
}

/** Where a sealed part of a session belongs: it opens in no other. */
export function sessionPlace(sessionId: string, field: 'identity' | 'transcript'): string {
  return `si_sessions/${sessionId}/${field}`
}

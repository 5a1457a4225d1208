import type { Db } from '../database.ts'
import type { PersonSessionTables } from './rows.ts'

/** A browser in which a person is signed in. */
export interface PersonSession {
  readonly sessionId: string
  readonly personId: string
  /** As its `User-Agent` says. */
  readonly browser: string
  readonly address: string
  readonly createdAt: string
  readonly usedAt: string
  readonly expiresAt: string
}

export async function insertPersonSession(tx: Db, tokenHash: string, session: PersonSession): Promise<void> {
  await tx
    .insertInto('person_sessions')
    .values({
      token_hash: tokenHash,
      session_id: session.sessionId,
      person_id: session.personId,
      browser: session.browser,
      address: session.address,
      created_at: session.createdAt,
      used_at: session.usedAt,
      expires_at: session.expiresAt,
    })
    .execute()
}

/** The session of a token that was used after `idleSince` and has not ended. */
export async function findPersonSession(
  db: Db,
  tokenHash: string,
  { now, idleSince }: { readonly now: Date; readonly idleSince: Date },
): Promise<PersonSession | undefined> {
  const row = await db
    .selectFrom('person_sessions')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now.toISOString())
    .where('used_at', '>', idleSince.toISOString())
    .executeTakeFirst()
  return row && sessionOf(row)
}

export async function touchPersonSession(tx: Db, sessionId: string, now: Date): Promise<void> {
  await tx.updateTable('person_sessions').set({ used_at: now.toISOString() }).where('session_id', '=', sessionId).execute()
}

/** Sessions of a person, newest first. */
export async function listPersonSessions(db: Db, personId: string): Promise<PersonSession[]> {
  const rows = await db
    .selectFrom('person_sessions')
    .selectAll()
    .where('person_id', '=', personId)
    .orderBy('created_at', 'desc')
    .limit(100)
    .execute()
  return rows.map(sessionOf)
}

/** Ends one session of a person, or all of them. */
export async function deletePersonSessions(tx: Db, personId: string, sessionId?: string): Promise<void> {
  const sessions = tx.deleteFrom('person_sessions').where('person_id', '=', personId)
  await (sessionId === undefined ? sessions : sessions.where('session_id', '=', sessionId)).execute()
}

/** Drops sessions that have ended. */
export async function sweepPersonSessions(tx: Db, now: Date): Promise<void> {
  await tx.deleteFrom('person_sessions').where('expires_at', '<=', now.toISOString()).execute()
}

function sessionOf(row: PersonSessionTables['person_sessions']): PersonSession {
  return {
    sessionId: row.session_id,
    personId: row.person_id,
    browser: row.browser,
    address: row.address,
    createdAt: row.created_at,
    usedAt: row.used_at,
    expiresAt: row.expires_at,
  }
}

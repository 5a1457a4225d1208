import type { FactorKind, SignInWay } from '../../domain/people/second-factor.ts'
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
  readonly way: SignInWay
  /** The second factor that it began with; undefined: none. */
  readonly factor: FactorKind | undefined
}

/** Sessions count that end after `now` and were used after `idleSince`. */
export interface Counting {
  readonly now: Date
  readonly idleSince: Date
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
      way: session.way,
      factor: session.factor ?? null,
    })
    .execute()
}

/** The session of a token that was used after `idleSince` and has not ended. */
export async function findPersonSession(
  db: Db,
  tokenHash: string,
  { now, idleSince }: Counting,
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

/** Notes that the person of a session has shown a second factor since it began. */
export async function setSessionFactor(tx: Db, sessionId: string, factor: FactorKind): Promise<void> {
  await tx.updateTable('person_sessions').set({ factor }).where('session_id', '=', sessionId).execute()
}

/** Sessions of a person that have not ended, newest first. */
export async function listPersonSessions(db: Db, personId: string, { now, idleSince }: Counting): Promise<PersonSession[]> {
  const rows = await db
    .selectFrom('person_sessions')
    .selectAll()
    .where('person_id', '=', personId)
    .where('expires_at', '>', now.toISOString())
    .where('used_at', '>', idleSince.toISOString())
    .orderBy('created_at', 'desc')
    .limit(100)
    .execute()
  return rows.map(sessionOf)
}

/** Ends one session of a person. */
export async function deletePersonSession(tx: Db, personId: string, sessionId: string): Promise<void> {
  await tx.deleteFrom('person_sessions').where('person_id', '=', personId).where('session_id', '=', sessionId).execute()
}

/** Ends all sessions of a person but `except`, and the sign-ins that wait for a factor. */
export async function deletePersonSessions(tx: Db, personId: string, except = ''): Promise<void> {
  await tx.deleteFrom('person_sessions').where('person_id', '=', personId).where('session_id', '<>', except).execute()
  await tx.deleteFrom('person_half_sign_ins').where('person_id', '=', personId).execute()
}

/** Drops sessions that have ended, and sign-ins that waited for a factor for too long. */
export async function sweepPersonSessions(tx: Db, now: Date): Promise<void> {
  await tx.deleteFrom('person_sessions').where('expires_at', '<=', now.toISOString()).execute()
  await tx.deleteFrom('person_half_sign_ins').where('expires_at', '<=', now.toISOString()).execute()
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
    way: row.way,
    factor: row.factor ?? undefined,
  }
}

import type { SignInWay } from '../../domain/people/second-factor.ts'
import type { Db } from '../database.ts'

/** A sign-in that waits for a second factor. */
export interface HalfSignIn {
  readonly personId: string
  readonly way: SignInWay
  /** What a passkey signs (base64url). */
  readonly challenge: string
  readonly expiresAt: string
}

export async function insertHalfSignIn(tx: Db, tokenHash: string, half: HalfSignIn): Promise<void> {
  await tx
    .insertInto('person_half_sign_ins')
    .values({
      token_hash: tokenHash,
      person_id: half.personId,
      way: half.way,
      challenge: half.challenge,
      expires_at: half.expiresAt,
    })
    .execute()
}

/** The sign-in of a token that still waits. */
export async function findHalfSignIn(db: Db, tokenHash: string, now: Date): Promise<HalfSignIn | undefined> {
  const row = await db
    .selectFrom('person_half_sign_ins')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now.toISOString())
    .executeTakeFirst()
  return row && { personId: row.person_id, way: row.way, challenge: row.challenge, expiresAt: row.expires_at }
}

/** Ends the waiting of a sign-in. False when another request has, or all of the person were ended. */
export async function takeHalfSignIn(tx: Db, tokenHash: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('person_half_sign_ins').where('token_hash', '=', tokenHash).executeTakeFirst()
  return numDeletedRows === 1n
}

import type { Db } from '../database.ts'
import type { SigningKeyTables } from './rows.ts'

export type SigningKeyRow = SigningKeyTables['signing_keys']

/** All keys of a purpose, or of all purposes, oldest first; with a subject only its own. */
export function listSigningKeys(db: Db, purpose?: string, subject?: string): Promise<SigningKeyRow[]> {
  let query = db.selectFrom('signing_keys').selectAll()
  if (purpose !== undefined) query = query.where('purpose', '=', purpose)
  if (subject !== undefined) query = query.where('subject', '=', subject)
  return query.orderBy('created_at').orderBy('kid').execute()
}

/** The key of a purpose and subject that signs now: the newest active one. */
export function findActiveKey(db: Db, purpose: string, subject = ''): Promise<SigningKeyRow | undefined> {
  return db
    .selectFrom('signing_keys')
    .selectAll()
    .where('purpose', '=', purpose)
    .where('subject', '=', subject)
    .where('state', '=', 'active')
    .orderBy('created_at', 'desc')
    .orderBy('kid')
    .limit(1)
    .executeTakeFirst()
}

/** Stores a key. `private_jwk` has to be sealed. */
export async function insertSigningKey(tx: Db, row: SigningKeyRow): Promise<void> {
  await tx.insertInto('signing_keys').values(row).execute()
}

/** Moves a key to another state. */
export async function setSigningKeyState(tx: Db, kid: string, state: SigningKeyRow['state'], now: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('signing_keys')
    .set({ state, ...(state === 'retired' && { retired_at: now.toISOString() }) })
    .where('kid', '=', kid)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Removes a key for good: it is no longer published. */
export async function deleteSigningKey(tx: Db, kid: string): Promise<void> {
  await tx.deleteFrom('signing_keys').where('kid', '=', kid).execute()
}

import type { Selectable } from 'kysely'
import type { Db } from '../database.ts'
import type { SecretRotationTables } from './rows.ts'

export type SecretRotation = Selectable<SecretRotationTables['secret_rotations']>

/** The newest rotation; undefined: there was none. */
export function findRotation(db: Db): Promise<SecretRotation | undefined> {
  return db.selectFrom('secret_rotations').selectAll().orderBy('switched_at', 'desc').limit(1).executeTakeFirst()
}

/** Stores a rotation that has begun; one that is stored stays. */
export async function beginRotation(
  tx: Db,
  ids: { readonly secretId: string; readonly previousId: string },
  now: Date,
): Promise<void> {
  await tx
    .insertInto('secret_rotations')
    .values({
      secret_id: ids.secretId,
      previous_id: ids.previousId,
      switched_at: now.toISOString(),
      resealed_at: null,
      retired_at: null,
    })
    .onConflict((c) => c.column('secret_id').doNothing())
    .execute()
}

/** Notes that a rotation is done, or that its earlier secret was retired. */
export async function markRotation(
  tx: Db,
  secretId: string,
  change: { readonly resealed_at: string } | { readonly retired_at: string },
): Promise<void> {
  await tx.updateTable('secret_rotations').set(change).where('secret_id', '=', secretId).execute()
}

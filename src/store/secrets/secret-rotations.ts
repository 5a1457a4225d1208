import type { Selectable } from 'kysely'
import type { Db } from '../database.ts'

export interface SecretRotationTables {
  /** Rotations of the deployment's secret; secrets are named by their ids alone. */
  secret_rotations: {
    /** Id of the secret that encrypts since. */
    secret_id: string
    /** Id of the one before it. */
    previous_id: string
    switched_at: string
    /** When nothing was left that is sealed under the one before. */
    resealed_at: string | null
    /** When the one before was taken out of use. */
    retired_at: string | null
  }
}

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

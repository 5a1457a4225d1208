import type { Selectable } from 'kysely'
import type { Db } from '../database.ts'
import type { MatchKeyTables } from './rows.ts'

export type MatchKeyRow = Selectable<MatchKeyTables['match_keys']>

/** Whether Trusted Match is on for a publisher: a router signs for it, and its packages are matched. */
export async function hasMatchKey(db: Db, tenantId: string): Promise<boolean> {
  const row = await db
    .selectFrom('match_keys')
    .select('kid')
    .where('tenant_id', '=', tenantId)
    .where('retired_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Keys of a publisher's router, the newest first. */
export function listMatchKeys(db: Db, tenantId: string): Promise<MatchKeyRow[]> {
  return db
    .selectFrom('match_keys')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .orderBy('created_at', 'desc')
    .orderBy('kid', 'desc')
    .execute()
}

/** Adds the key that signs from now on; the others are retired. */
export async function addMatchKey(
  tx: Db,
  key: Pick<MatchKeyRow, 'tenant_id' | 'kid' | 'x' | 'sealed'>,
  now: Date,
): Promise<void> {
  const at = now.toISOString()
  await tx
    .updateTable('match_keys')
    .set({ retired_at: at })
    .where('tenant_id', '=', key.tenant_id)
    .where('retired_at', 'is', null)
    .execute()
  await tx
    .insertInto('match_keys')
    .values({ ...key, created_at: at, retired_at: null, revoked_at: null })
    .execute()
}

/** Marks a key as revoked from a time on; one that is revoked from an earlier time stays so. False when there is none. */
export async function revokeMatchKey(tx: Db, tenantId: string, kid: string, from: Date): Promise<boolean> {
  const at = from.toISOString()
  const { numUpdatedRows } = await tx
    .updateTable('match_keys')
    .set(({ case: when, ref, val }) => ({
      revoked_at: when().when('revoked_at', '<', at).then(ref('revoked_at')).else(val(at)).end(),
    }))
    .where('tenant_id', '=', tenantId)
    .where('kid', '=', kid)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

import type { AccountScope } from '../../domain/account/account.ts'
import type { Creative } from '../../domain/creative/creative.ts'
import type { PurgeReason } from '../../domain/creative/purge.ts'
import { TOMBSTONE_MS } from '../../domain/creative/purge.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { Db } from '../database.ts'
import { columnsOf, keyOf } from './creatives.ts'

/** The time after which a creative has to be destroyed for its tombstone to be shown at `now`. */
export function tombstonesSince(now: Date): string {
  return new Date(now.getTime() - TOMBSTONE_MS).toISOString()
}

/** Keeps what may be kept of a destroyed creative. One of an earlier creative of the same id is replaced. */
export async function insertTombstone(
  tx: Db,
  owner: PrincipalRef,
  creative: Creative,
  reason: PurgeReason,
  now: Date,
): Promise<void> {
  const { name, formatId } = creative.content
  const columns = {
    ...columnsOf({ ...creative, content: { name, formatId, assets: {}, tags: [] } }),
    ...{ revision: creative.revision, created_at: creative.createdAt, purged_at: now.toISOString(), purge_reason: reason },
  }
  await tx
    .insertInto('creative_tombstones')
    .values({ ...keyOf(owner, creative), ...columns })
    .onConflict((c) => c.columns(['tenant_id', 'principal_id', 'account_id', 'creative_id']).doUpdateSet(columns))
    .execute()
}

/** Removes the tombstone of a creative whose last traces have to go. */
export async function deleteTombstone(tx: Db, owner: PrincipalRef, creative: Creative): Promise<void> {
  const own = keyOf(owner, creative)
  await tx
    .deleteFrom('creative_tombstones')
    .where('tenant_id', '=', own.tenant_id)
    .where('principal_id', '=', own.principal_id)
    .where('account_id', '=', own.account_id)
    .where('creative_id', '=', own.creative_id)
    .execute()
}

/** Whether a creative of that id within reach was destroyed and its tombstone is still shown. */
export async function hasTombstone(db: Db, reach: AccountScope, creativeId: string, now: Date): Promise<boolean> {
  const row = await db
    .selectFrom('creative_tombstones')
    .select('purged_at')
    .where('tenant_id', '=', reach.tenantId)
    .where('principal_id', '=', reach.principalId)
    .where('creative_id', '=', creativeId)
    .where('purged_at', '>', tombstonesSince(now))
    .$if(reach.accountId !== undefined, (q) => q.where('account_id', 'in', [reach.accountId ?? '', '']))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Drops tombstones that are shown no longer. */
export async function sweepTombstones(tx: Db, now: Date): Promise<void> {
  await tx.deleteFrom('creative_tombstones').where('purged_at', '<=', tombstonesSince(now)).execute()
}

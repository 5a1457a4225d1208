import type { Selectable } from 'kysely'
import type { AccountScope } from '../../domain/account/account.ts'
import type { ResourceAction } from '../../domain/account/account-change.ts'
import type { Audience } from '../../domain/audience/audience.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { noteChange } from '../account/account-changes.ts'
import type { Db } from '../database.ts'
import type { AudienceTables } from './rows.ts'

/** Audiences within reach by their ids, or all of them, in order of creation. */
export async function findAudiences(db: Db, reach: AccountScope, audienceIds?: readonly string[]): Promise<Audience[]> {
  if (audienceIds?.length === 0) return []
  const rows = await db
    .selectFrom('audiences')
    .selectAll()
    .where('tenant_id', '=', reach.tenantId)
    .where('principal_id', '=', reach.principalId)
    .$if(reach.accountId !== undefined, (q) => q.where('account_id', '=', reach.accountId ?? ''))
    .$if(audienceIds !== undefined, (q) => q.where('audience_id', 'in', audienceIds ?? []))
    .orderBy('created_at')
    .orderBy('audience_id')
    .execute()
  return rows.map(audienceOf)
}

/** Writes a new audience. Throws CONFLICT when its id was taken at the same moment. */
export async function insertAudience(tx: Db, owner: PrincipalRef, audience: Audience): Promise<void> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('audiences')
    .values({
      tenant_id: owner.tenantId,
      principal_id: owner.principalId,
      account_id: audience.accountId,
      audience_id: audience.audienceId,
      seller_id: audience.sellerId,
      document: JSON.stringify(audience.document),
      last_synced_at: audience.lastSyncedAt,
      created_at: audience.createdAt,
      revision: audience.revision,
    })
    .onConflict((c) => c.doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows !== 1n) throw conflict()
  await noteChange(tx, changeOf(owner.tenantId, audience, 'created'))
}

/** Saves a changed audience by compare-and-set on its revision. Throws CONFLICT when another sync came first. */
export async function saveAudience(tx: Db, { tenantId }: Pick<PrincipalRef, 'tenantId'>, audience: Audience): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('audiences')
    .set({
      document: JSON.stringify(audience.document),
      last_synced_at: audience.lastSyncedAt,
      revision: audience.revision + 1,
    })
    .where('tenant_id', '=', tenantId)
    .where('seller_id', '=', audience.sellerId)
    .where('revision', '=', audience.revision)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) throw conflict()
  await noteChange(tx, changeOf(tenantId, audience, 'updated'))
}

/** Deletes an audience with everybody in it. */
export async function deleteAudience(tx: Db, { tenantId }: Pick<PrincipalRef, 'tenantId'>, sellerId: string): Promise<void> {
  const gone = await tx
    .deleteFrom('audiences')
    .where('tenant_id', '=', tenantId)
    .where('seller_id', '=', sellerId)
    .returningAll()
    .execute()
  for (const row of gone) await noteChange(tx, changeOf(tenantId, audienceOf(row), 'deleted'))
}

function changeOf(tenantId: string, { accountId, audienceId: resourceId }: Audience, action: ResourceAction) {
  return { tenantId, accountId, resource: 'audience', resourceId, action } as const
}

function audienceOf(row: Selectable<AudienceTables['audiences']>): Audience {
  return {
    audienceId: row.audience_id,
    accountId: row.account_id,
    sellerId: row.seller_id,
    document: JSON.parse(row.document),
    lastSyncedAt: row.last_synced_at,
    createdAt: row.created_at,
    revision: row.revision,
  }
}

function conflict(): AdcpError {
  return new AdcpError('CONFLICT', 'the audience was changed at the same time; sync it again', { field: 'audiences' })
}

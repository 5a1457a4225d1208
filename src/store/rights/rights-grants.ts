import type { Selectable } from 'kysely'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { GrantAgreement, RightsGrant } from '../../domain/rights/grant.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../database.ts'
import type { RightsGrantTables } from './rows.ts'

const NO_END = '9999-12-31'

/** Stores a new grant. */
export async function insertGrant(tx: Db, tenantId: string, grant: RightsGrant): Promise<void> {
  await tx
    .insertInto('rights_grants')
    .values({
      tenant_id: tenantId,
      grant_id: grant.grantId,
      principal_id: grant.principalId,
      account_id: grant.accountId,
      rights_id: grant.agreement.offering.rights_id,
      sandbox: grant.sandbox ? 1 : 0,
      ...contentOf(grant),
      revision: grant.revision,
      created_at: grant.createdAt,
      updated_at: grant.createdAt,
    })
    .execute()
}

/** Saves a changed grant by compare-and-set on its revision. Throws CONFLICT when another write came first. */
export async function saveGrant(tx: Db, tenantId: string, grant: RightsGrant, now: Date): Promise<RightsGrant> {
  const revision = grant.revision + 1
  const { numUpdatedRows } = await tx
    .updateTable('rights_grants')
    .set({ ...contentOf(grant), revision, updated_at: now.toISOString() })
    .where('tenant_id', '=', tenantId)
    .where('grant_id', '=', grant.grantId)
    .where('revision', '=', grant.revision)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n)
    throw new AdcpError('CONFLICT', 'the grant was changed at the same time; send the request again', { field: 'rights_id' })
  return { ...grant, revision }
}

/** A grant of the agent. Throws REFERENCE_NOT_FOUND for an absent one and for another's alike. */
export async function getGrant(db: Db, owner: PrincipalRef, grantId: string): Promise<RightsGrant> {
  const grant = await findGrant(db, owner.tenantId, grantId)
  if (grant?.principalId === owner.principalId) return grant
  throw new AdcpError('REFERENCE_NOT_FOUND', 'there is no such grant of yours', {
    field: 'rights_id',
    suggestion: 'use the rights_id that acquire_rights answered',
  })
}

/** A grant of a publisher, of any agent. */
export async function findGrant(db: Db, tenantId: string, grantId: string): Promise<RightsGrant | undefined> {
  const row = await db
    .selectFrom('rights_grants')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('grant_id', '=', grantId)
    .executeTakeFirst()
  return row && grantOf(row)
}

/** A grant and its publisher by its id alone, which cannot be guessed: for those who only hold a creative made under it. */
export async function findGrantAnywhere(
  db: Db,
  grantId: string,
): Promise<{ readonly tenantId: string; readonly grant: RightsGrant } | undefined> {
  const row = await db.selectFrom('rights_grants').selectAll().where('grant_id', '=', grantId).executeTakeFirst()
  return row && { tenantId: row.tenant_id, grant: grantOf(row) }
}

/** A publisher's grants, newest first, `limit` at most. */
export async function listGrants(db: Db, tenantId: string, limit: number): Promise<RightsGrant[]> {
  const rows = await db
    .selectFrom('rights_grants')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .orderBy('created_at', 'desc')
    .orderBy('grant_id')
    .limit(limit)
    .execute()
  return rows.map(grantOf)
}

/** Grants with a change that waits for the rights holder, oldest first; `limit` at most. */
export async function listGrantsWithChanges(db: Db, tenantId: string, limit: number): Promise<RightsGrant[]> {
  const rows = await db
    .selectFrom('rights_grants')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('pending', 'is not', null)
    .orderBy('created_at')
    .limit(limit)
    .execute()
  return rows.map(grantOf)
}

/**
 * Agreements in force on a day or later and that an acquisition can collide with: those of everybody, or, for a sandbox agent, its own
 * sandbox ones. `rightsId` narrows them to one offering; `except` leaves one grant out.
 */
export async function standingAgreements(
  db: Db,
  user: PrincipalRef & { readonly sandbox: boolean },
  filter: { readonly today: string; readonly rightsId?: string; readonly except?: string },
): Promise<GrantAgreement[]> {
  const { today, rightsId, except } = filter
  const rows = await db
    .selectFrom('rights_grants')
    .select('agreement')
    .where('tenant_id', '=', user.tenantId)
    .where('ends_on', '>=', today)
    .where('revoked_at', 'is', null)
    .where('sandbox', '=', user.sandbox ? 1 : 0)
    .$if(user.sandbox, (q) => q.where('principal_id', '=', user.principalId))
    .$if(rightsId !== undefined, (q) => q.where('rights_id', '=', rightsId ?? ''))
    .$if(except !== undefined, (q) => q.where('grant_id', '!=', except ?? ''))
    .execute()
  return rows.map((row) => JSON.parse(row.agreement))
}

function contentOf({ agreement, pending, pendingTaskId, paused, revokedAt, credentialVersion }: RightsGrant) {
  return {
    agreement: JSON.stringify(agreement),
    pending: pending ? JSON.stringify(pending) : null,
    pending_task_id: pendingTaskId ?? null,
    paused: paused ? 1 : 0,
    ends_on: agreement.endDate ?? NO_END,
    revoked_at: revokedAt ?? null,
    credential_version: credentialVersion,
  }
}

function grantOf(row: Selectable<RightsGrantTables['rights_grants']>): RightsGrant {
  return {
    grantId: row.grant_id,
    principalId: row.principal_id,
    accountId: row.account_id,
    sandbox: row.sandbox === 1,
    agreement: JSON.parse(row.agreement),
    paused: row.paused === 1,
    revokedAt: row.revoked_at ?? undefined,
    credentialVersion: row.credential_version,
    pending: row.pending === null ? undefined : JSON.parse(row.pending),
    pendingTaskId: row.pending_task_id ?? undefined,
    revision: row.revision,
    createdAt: row.created_at,
  }
}

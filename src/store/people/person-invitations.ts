import type { Db } from '../database.ts'
import type { RoleGrant } from './people.ts'
import type { InvitationTables } from './rows.ts'

export interface Invitation extends RoleGrant {
  readonly invitationId: string
  readonly expiresAt: string
}

export async function insertInvitation(tx: Db, tokenHash: string, invitation: Invitation, now: Date): Promise<void> {
  await tx
    .insertInto('person_invitations')
    .values({
      token_hash: tokenHash,
      invitation_id: invitation.invitationId,
      tenant_id: invitation.tenantId ?? null,
      role: invitation.role,
      created_at: now.toISOString(),
      expires_at: invitation.expiresAt,
    })
    .execute()
}

/** The invitation of a token that has neither been used nor expired. */
export async function findInvitation(db: Db, tokenHash: string, now: Date): Promise<Invitation | undefined> {
  const row = await db
    .selectFrom('person_invitations')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now.toISOString())
    .executeTakeFirst()
  return row && invitationOf(row)
}

/** Uses an invitation up; undefined when it was used before or has expired. */
export async function takeInvitation(tx: Db, tokenHash: string, now: Date): Promise<Invitation | undefined> {
  const row = await tx.deleteFrom('person_invitations').where('token_hash', '=', tokenHash).returningAll().executeTakeFirst()
  return row && row.expires_at > now.toISOString() ? invitationOf(row) : undefined
}

/** Open invitations of a publisher, or those for every publisher; those that expire first come first. */
export async function listInvitations(db: Db, tenantId: string | undefined, now: Date): Promise<Invitation[]> {
  const open = db.selectFrom('person_invitations').selectAll().where('expires_at', '>', now.toISOString()).orderBy('expires_at')
  const rows = await (tenantId === undefined
    ? open.where('tenant_id', 'is', null)
    : open.where('tenant_id', '=', tenantId)
  ).execute()
  return rows.map(invitationOf)
}

/** Takes an invitation of a publisher back. */
export async function deleteInvitation(tx: Db, tenantId: string, invitationId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('person_invitations')
    .where('tenant_id', '=', tenantId)
    .where('invitation_id', '=', invitationId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Drops invitations that have expired. */
export async function sweepInvitations(tx: Db, now: Date): Promise<void> {
  await tx.deleteFrom('person_invitations').where('expires_at', '<=', now.toISOString()).execute()
}

function invitationOf(row: InvitationTables['person_invitations']): Invitation {
  return {
    invitationId: row.invitation_id,
    tenantId: row.tenant_id ?? undefined,
    role: row.role,
    expiresAt: row.expires_at,
  }
}

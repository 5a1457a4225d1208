import { randomBytes, randomUUID } from 'node:crypto'
import { ADMIN_ROLES, type AdminRole, isAdminRole } from '../../domain/identity/admin-role.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { hashToken } from '../../security/auth/opaque-key.ts'
import { hasPeople } from '../../store/people/people.ts'
import {
  deleteInvitation,
  findInvitation,
  insertInvitation,
  listInvitations as listStoredInvitations,
} from '../../store/people/person-invitations.ts'
import { auditedStore } from '../audited-store.ts'
import { chooseTenant } from '../choose-tenant.ts'
import type { OperatorContext } from '../operator-context.ts'

/** Whom an invitation makes what. */
export interface InvitationOrder {
  /** Absent: for every publisher. */
  readonly tenantId?: string | undefined
  readonly role: string
}

/** An invitation as the person who made it sees it; the token is in the answer and nowhere else. */
export interface NewInvitation {
  readonly token: string
  readonly role: AdminRole
  readonly expiresAt: Date
}

/** Long enough for a colleague who reads mail once a day over a long weekend. */
const INVITATION_MS = 4 * 86_400_000

/**
 * Makes a link by which one person chooses a user name and a password, once, within four days. Throws INVALID_REQUEST for an unknown role or publisher.
 */
export async function invitePerson(context: OperatorContext, { tenantId, role }: InvitationOrder): Promise<NewInvitation> {
  if (!isAdminRole(role))
    throw new AdcpError('INVALID_REQUEST', `"${role}" is no role; valid roles: ${ADMIN_ROLES.join(', ')}`, { field: 'role' })
  if (tenantId !== undefined) await chooseTenant(context, tenantId)
  const now = context.clock()
  const token = randomBytes(32).toString('base64url')
  const invitation = {
    invitationId: randomUUID(),
    tenantId,
    role,
    expiresAt: new Date(now.getTime() + INVITATION_MS).toISOString(),
  }
  const subject = invitation.invitationId
  const act = { task: 'people.invite', subject, ...(tenantId !== undefined && { tenant: tenantId }) }
  await auditedStore(context, act).transaction((tx) => insertInvitation(tx, hashToken(token), invitation, now))
  return { token, role, expiresAt: new Date(invitation.expiresAt) }
}

/** The invitation by which the first administrator signs in; undefined when somebody can sign in already. */
export async function inviteFirstAdministrator(context: OperatorContext): Promise<NewInvitation | undefined> {
  return (await hasPeople(context.store.read)) ? undefined : invitePerson(context, { role: 'administrator' })
}

/** What the holder of an invitation becomes; undefined when it was used, taken back or has expired. */
export async function showInvitation({ store, clock }: OperatorContext, token: string) {
  const invitation = await findInvitation(store.read, hashToken(token), clock())
  return invitation && { tenantId: invitation.tenantId, role: invitation.role }
}

/** Invitations of a publisher that nobody has used yet. */
export function listInvitations({ store, clock }: OperatorContext, tenantId: string) {
  return listStoredInvitations(store.read, tenantId, clock())
}

/** Takes an invitation back. */
export async function removeInvitation(
  context: OperatorContext,
  { tenantId, invitationId }: { readonly tenantId: string; readonly invitationId: string },
): Promise<void> {
  const store = auditedStore(context, { task: 'people.uninvite', tenant: tenantId, subject: invitationId })
  await store.transaction((tx) => deleteInvitation(tx, tenantId, invitationId))
}

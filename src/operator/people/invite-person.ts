import { randomBytes, randomUUID } from 'node:crypto'
import { DAY_MS } from '../../domain/calendar/instant.ts'
import { ADMIN_ROLES, type AdminRole } from '../../domain/identity/admin-role.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { quoted } from '../../protocol/nearest-name.ts'
import { hashToken } from '../../security/auth/opaque-key.ts'
import { hasPeople } from '../../store/people/people.ts'
import {
  deleteInvitation,
  findInvitation,
  insertInvitation,
  listInvitations as listStoredInvitations,
} from '../../store/people/person-invitations.ts'
import { type ActContext, defineAct } from '../act.ts'
import { auditedStore } from '../audited-store.ts'
import { logged, required } from '../fields.ts'
import { consoleAddressOf } from '../notifications/console-address.ts'
import type { OperatorContext } from '../operator-context.ts'
import { ADMINISTRATORS, READERS } from '../roles.ts'
import { boolean, list, moment, type Of, object, pageOf, string, word } from '../shape.ts'
import { idText } from '../text-form.ts'
import { ROLE } from './manage-people.ts'

// Several acts in one file: the same act for a publisher, for the deployment, or for one buyer.

/** Long enough for a colleague who reads mail once a day over a long weekend. */
const INVITATION_DAYS = 4
/** The same, as people say it. */
export const INVITATION_TEXT = `${INVITATION_DAYS} days`

const OF_ROLE = { role: logged(ROLE) }
const invited = object({ link: string, role: word(...ADMIN_ROLES), expires_at: moment })
type Invited = Of<typeof invited>

const invitedLines = ({ link, role, expires_at: until }: Invited) => [
  `A link for one ${role}, until ${until}; it is shown this once:`,
  '',
  `  ${link}`,
]

/** Makes a link by which one person gets a role for every publisher, once, within {@link INVITATION_TEXT}. */
export const inviteEverywhere = defineAct({
  name: 'people.invite-everywhere',
  route: 'POST /deployment/invitations',
  id: 'inviteEverywhere',
  roles: ADMINISTRATORS,
  scope: 'deployment',
  summary: 'Makes a link by which one person joins for every publisher, once; it is in this answer and nowhere else.',
  fields: OF_ROLE,
  answer: invited,
  run: (context, { role }) => invite(context, { tenantId: undefined, role }),
})

/** Makes a link by which one person chooses a user name and a password, once, within {@link INVITATION_TEXT}. */
export const invitePerson = defineAct({
  name: 'people.invite',
  route: 'POST /invitations',
  id: 'invitePerson',
  roles: ADMINISTRATORS,
  summary: 'Makes a link by which one person joins, once; it is in this answer and nowhere else.',
  fields: OF_ROLE,
  answer: invited,
  command: {
    help: 'make a link by which one person chooses a user name and a password, once; without --tenant for every publisher',
    defaults: { role: 'administrator' },
    withoutTenant: inviteEverywhere,
    text: invitedLines,
  },
  run: (context, { role }) => invite(context, { tenantId: context.tenantId, role }),
})

/** The token by which the first administrator signs in; undefined when somebody can sign in already. */
export async function inviteFirstAdministrator(context: OperatorContext): Promise<string | undefined> {
  if (await hasPeople(context.store.read)) return undefined
  const made = newInvitation(context.clock(), { tenantId: undefined, role: 'administrator' })
  const store = auditedStore(context, { task: 'people.invite-everywhere', subject: made.invitation.invitationId })
  await store.transaction((tx) => insertInvitation(tx, hashToken(made.token), made.invitation, context.clock()))
  return made.token
}

async function invite(
  { store, config, clock, noteSubject, noteChanges }: ActContext,
  order: { readonly tenantId: string | undefined; readonly role: AdminRole },
): Promise<Invited> {
  const { token, invitation } = newInvitation(clock(), order)
  await store.transaction(async (tx) => {
    noteSubject(invitation.invitationId)
    noteChanges({ expires_at: [null, invitation.expiresAt] })
    await insertInvitation(tx, hashToken(token), invitation, clock())
  })
  return { link: `${consoleAddressOf(config)}/join/${token}`, role: order.role, expires_at: invitation.expiresAt }
}

function newInvitation(now: Date, order: { readonly tenantId: string | undefined; readonly role: AdminRole }) {
  const expiresAt = new Date(now.getTime() + INVITATION_DAYS * DAY_MS).toISOString()
  return { token: randomBytes(32).toString('base64url'), invitation: { invitationId: randomUUID(), ...order, expiresAt } }
}

/** What the holder of an invitation becomes; undefined when it was used, taken back or has expired. */
export async function showInvitation({ store, clock }: OperatorContext, token: string) {
  const invitation = await findInvitation(store.read, hashToken(token), clock())
  return invitation && { tenantId: invitation.tenantId, role: invitation.role }
}

/** Invitations of a publisher that nobody has used yet. */
export const listInvitations = defineAct({
  name: 'people.invitations',
  route: 'GET /invitations',
  id: 'listInvitations',
  roles: READERS,
  summary: 'Invitations that were not used yet.',
  fields: {},
  answer: pageOf(object({ invitation_id: string, role: word(...ADMIN_ROLES), expires_at: moment })),
  command: {
    columns: [
      ['INVITATION', (row) => row.invitation_id],
      ['ROLE', (row) => row.role],
      ['EXPIRES', (row) => row.expires_at],
    ],
  },
  async run({ store, tenantId, clock }) {
    const open = await listStoredInvitations(store.read, tenantId, clock())
    return list(open.map(({ invitationId, role, expiresAt }) => ({ invitation_id: invitationId, role, expires_at: expiresAt })))
  },
})

/** Withdraws an invitation. Throws REFERENCE_NOT_FOUND for one that was used, has expired and was dropped, or never was. */
export const removeInvitation = defineAct({
  name: 'people.uninvite',
  route: 'DELETE /invitations/{invitation}',
  id: 'removeInvitation',
  roles: ADMINISTRATORS,
  summary: 'Withdraws an invitation.',
  fields: { invitation: required(idText('id of the invitation')) },
  answer: object({ invitation_id: string, removed: boolean }),
  command: { anyId: true, text: ({ invitation_id: id }) => [`took the invitation ${id} back`] },
  async watch(tx, { tenantId, clock }, { invitation }) {
    const found = (await listStoredInvitations(tx, tenantId, clock())).find(({ invitationId }) => invitationId === invitation)
    return found && { role: found.role, expires_at: found.expiresAt }
  },
  async run({ store, tenantId }, { invitation }) {
    await store.transaction(async (tx) => {
      if (await deleteInvitation(tx, tenantId, invitation)) return
      const message = `there is no open invitation ${quoted(invitation)}; it may have been used`
      throw new AdcpError('REFERENCE_NOT_FOUND', message, { field: 'invitation' })
    })
    return { invitation_id: invitation, removed: true }
  },
})

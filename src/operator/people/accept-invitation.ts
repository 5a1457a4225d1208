import { randomUUID } from 'node:crypto'
import { AdcpError } from '../../protocol/errors.ts'
import { hashToken } from '../../security/auth/opaque-key.ts'
import { hashPassword, MAX_PASSWORD } from '../../security/auth/password.ts'
import { insertPerson, saveRole } from '../../store/people/people.ts'
import { findInvitation, takeInvitation } from '../../store/people/person-invitations.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'

/** Shortest password of a person: NIST SP 800-63B-4 §3.1.1.2 asks for 15 characters where it is the only factor. */
export const MIN_PERSON_PASSWORD = 15

/** An e-mail address or a short name; it is part of the audit log. */
const USERNAME = /^[a-z0-9][a-z0-9._@+-]{1,127}$/

/** What a person chooses. */
export interface NewAccount {
  readonly token: string
  readonly username: string
  readonly name: string
  readonly password: string
}

/**
 * Makes the account of a person who was invited; the invitation is used up. Throws INVALID_REQUEST for a name or password that does not
 * count, REFERENCE_NOT_FOUND for an invitation that was used or has expired.
 */
export async function acceptInvitation(context: OperatorContext, account: NewAccount): Promise<{ readonly personId: string }> {
  const { token, password } = account
  const now = context.clock()
  const tokenHash = hashToken(token)
  const invited = await findInvitation(context.store.read, tokenHash, now)
  if (!invited) throw overInvitation()
  const username = readUsername(account.username)
  const name = readName(account.name)
  const passwordHash = await hashPassword(requirePassword(password))
  const personId = randomUUID()
  const actor = { ...context.actor, who: `person:${username}`, credential: `invitation:${invited.invitationId}` }
  const act = { task: 'people.join', subject: username, ...(invited.tenantId !== undefined && { tenant: invited.tenantId }) }
  await auditedStore({ ...context, actor }, act).transaction(async (tx) => {
    const invitation = await takeInvitation(tx, tokenHash, now)
    if (!invitation) throw overInvitation()
    await insertPerson(tx, { personId, username, name, passwordHash }, now)
    await saveRole(tx, personId, invitation)
  })
  return { personId }
}

/** Throws INVALID_REQUEST for a password that is too short or too long. */
export function requirePassword(password: string): string {
  if (password.length >= MIN_PERSON_PASSWORD && password.length <= MAX_PASSWORD) return password
  const message = `a password has ${MIN_PERSON_PASSWORD} to ${MAX_PASSWORD} characters, this one ${password.length}`
  throw new AdcpError('INVALID_REQUEST', message, { field: 'password' })
}

function readUsername(text: string): string {
  const username = text.trim().toLowerCase()
  if (USERNAME.test(username)) return username
  const message = 'a user name has 2 to 128 of the characters a–z, 0–9 and . _ @ + -, such as an e-mail address'
  throw new AdcpError('INVALID_REQUEST', message, { field: 'username' })
}

function readName(text: string): string {
  const name = text.trim()
  if (name.length >= 1 && name.length <= 100 && !/\p{Cc}/u.test(name)) return name
  throw new AdcpError('INVALID_REQUEST', 'a name has 1 to 100 characters', { field: 'name' })
}

function overInvitation(): AdcpError {
  return new AdcpError('REFERENCE_NOT_FOUND', 'this invitation was used before or has expired; ask for a new one')
}

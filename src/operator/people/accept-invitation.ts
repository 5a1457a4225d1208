import { randomUUID } from 'node:crypto'
import { AdcpError } from '../../protocol/errors.ts'
import { hashToken } from '../../security/auth/opaque-key.ts'
import { hashPassword, MAX_PASSWORD } from '../../security/auth/password.ts'
import { insertPerson, saveRole } from '../../store/people/people.ts'
import { findInvitation, takeInvitation } from '../../store/people/person-invitations.ts'
import { auditedStore } from '../audited-store.ts'
import { checkedValues } from '../check-fields.ts'
import { atMost, exact, ofLength, required, text } from '../fields.ts'
import type { OperatorContext } from '../operator-context.ts'
import { inForm, type TextForm } from '../text-form.ts'

/** Shortest password of a person: NIST SP 800-63B-4 §3.1.1.2 asks for 15 characters where it is the only factor. */
const MIN_PERSON_PASSWORD = 15

/** An e-mail address or a short name; it is part of the audit log. */
const USERNAME: TextForm = {
  pattern: '^[a-z0-9][a-z0-9._@+\\-]{1,127}$',
  words: '2 to 128 letters without accents, digits and . _ @ + -, such as an e-mail address',
  clean: (written) => written.toLowerCase(),
}

/** What a person calls themselves or something of theirs. */
export const PERSON_NAME: TextForm = {
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$',
  words: 'a text without control characters',
}

/** The field of a password that a person chooses. */
export const NEW_PASSWORD = required(ofLength(MIN_PERSON_PASSWORD, MAX_PASSWORD, exact(text('password'))))

/** What a person chooses. */
export const JOIN_FIELDS = {
  name: required(inForm(PERSON_NAME, atMost(100, text('name')))),
  username: required(inForm(USERNAME, text('user name'))),
  password: NEW_PASSWORD,
}

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
  const { token, ...chosen } = account
  const now = context.clock()
  const tokenHash = hashToken(token)
  const invited = await findInvitation(context.store.read, tokenHash, now)
  if (!invited) throw overInvitation()
  const { username, name, password } = checkedValues(chosen, JOIN_FIELDS)
  const passwordHash = await hashPassword(password)
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

function overInvitation(): AdcpError {
  return new AdcpError('REFERENCE_NOT_FOUND', 'this invitation was used before or has expired; ask for a new one')
}

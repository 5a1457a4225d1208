import { ADMIN_ROLES, isAdminRole } from '../../domain/identity/admin-role.ts'
import { type Person, roleFor } from '../../domain/people/person.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { hashPassword, passwordMatches } from '../../security/auth/password.ts'
import {
  deleteRole,
  findPersonToSignIn,
  listPeople as listStoredPeople,
  saveRole,
  setPasswordHash,
  setPersonRevoked,
} from '../../store/people/people.ts'
import { deletePersonSessions, listPersonSessions } from '../../store/people/person-sessions.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'
import { requirePassword } from './accept-invitation.ts'

interface Named {
  readonly tenantId: string
  readonly username: string
}

/** The people who have a role for a publisher. */
export async function listPeople({ store }: OperatorContext, tenantId: string) {
  const people = await listStoredPeople(store.read)
  return people.flatMap((person) => {
    const role = roleFor(person, tenantId)
    return role === undefined || !person.isActive ? [] : [{ ...present(person), role, everywhere: person.role !== undefined }]
  })
}

/** Everybody of the deployment, also those who may not sign in any more. */
export async function listEverybody({ store }: OperatorContext) {
  return (await listStoredPeople(store.read)).map((person) => ({
    ...present(person),
    status: person.isActive ? 'active' : 'revoked',
    roles: person.role === undefined ? Object.fromEntries(person.roles) : { '*': person.role },
  }))
}

/** Changes the role of a person for one publisher. Throws REFERENCE_NOT_FOUND, INVALID_STATE for a person with a role for every publisher. */
export async function setRole(
  context: OperatorContext,
  { tenantId, username, role }: Named & { readonly role: string },
): Promise<void> {
  if (!isAdminRole(role))
    throw new AdcpError('INVALID_REQUEST', `"${role}" is no role; valid roles: ${ADMIN_ROLES.join(', ')}`, { field: 'role' })
  const { personId } = await personOfOneTenant(context, { tenantId, username })
  const store = auditedStore(context, { task: 'people.role', tenant: tenantId, subject: username })
  await store.transaction((tx) => saveRole(tx, personId, { tenantId, role }))
}

/** Takes a person's role for one publisher away; nothing of it is shown to them from now on. Throws as {@link setRole} does. */
export async function removePerson(context: OperatorContext, named: Named): Promise<void> {
  const { personId } = await personOfOneTenant(context, named)
  const store = auditedStore(context, { task: 'people.remove', tenant: named.tenantId, subject: named.username })
  await store.transaction((tx) => deleteRole(tx, personId, named.tenantId))
}

/** Ends a person's account and all of their sessions, for every publisher. Throws REFERENCE_NOT_FOUND. */
export async function revokePerson(context: OperatorContext, username: string): Promise<void> {
  const person = (await listStoredPeople(context.store.read)).find((each) => each.username === username)
  if (!person) throw unknownPerson(username)
  await auditedStore(context, { task: 'people.revoke', subject: username }).transaction(async (tx) => {
    await setPersonRevoked(tx, person.personId, context.clock())
    await deletePersonSessions(tx, person.personId)
  })
}

/** Changes a person's own password; every other session of theirs ends. Throws AUTH_INVALID for a wrong present one, INVALID_REQUEST. */
export async function changePassword(
  context: OperatorContext,
  person: Person,
  { present, next }: { readonly present: string; readonly next: string },
): Promise<void> {
  const stored = await findPersonToSignIn(context.store.read, person.username)
  if (!stored || !(await passwordMatches(present, stored.passwordHash)))
    throw new AdcpError('AUTH_INVALID', 'the present password is wrong', { field: 'present' })
  const hash = await hashPassword(requirePassword(next))
  await auditedStore(context, { task: 'people.password', subject: person.username }).transaction(async (tx) => {
    await setPasswordHash(tx, person.personId, hash)
    await deletePersonSessions(tx, person.personId)
  })
}

/** Where a person is signed in. */
export function listSessions({ store }: OperatorContext, person: Person) {
  return listPersonSessions(store.read, person.personId)
}

async function personOfOneTenant({ store }: OperatorContext, { tenantId, username }: Named): Promise<Person> {
  const person = (await listStoredPeople(store.read)).find((each) => each.username === username)
  if (!person || roleFor(person, tenantId) === undefined) throw unknownPerson(username)
  if (person.role === undefined) return person
  const message = `${username} has a role for every publisher; use: sales-agent people revoke ${username}`
  throw new AdcpError('INVALID_STATE', message, { field: 'username' })
}

function present({ username, name }: Person) {
  return { username, name }
}

function unknownPerson(username: string): AdcpError {
  return new AdcpError('REFERENCE_NOT_FOUND', `there is no person ${username} here`, { field: 'username' })
}

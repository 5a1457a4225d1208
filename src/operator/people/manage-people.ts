import { ADMIN_ROLES } from '../../domain/identity/admin-role.ts'
import { LOGIN_STATUSES } from '../../domain/identity/basic-user.ts'
import { type Person, roleFor } from '../../domain/people/person.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { GuessGuard } from '../../security/auth/guess-guard.ts'
import { hashPassword } from '../../security/auth/password.ts'
import type { Db } from '../../store/database.ts'
import {
  deleteRole,
  listPeople as listStoredPeople,
  saveRole,
  setPasswordHash,
  setPersonRevoked,
} from '../../store/people/people.ts'
import { deletePersonSessions } from '../../store/people/person-sessions.ts'
import { type ActContext, defineAct } from '../act.ts'
import { auditedStore } from '../audited-store.ts'
import { checkedValues } from '../check-fields.ts'
import { oneOf, required } from '../fields.ts'
import { missingPerson } from '../missing-person.ts'
import type { OperatorContext } from '../operator-context.ts'
import { ADMINISTRATORS, READERS } from '../roles.ts'
import { about, boolean, list, mapOf, object, pageOf, string, word } from '../shape.ts'
import { userName } from '../text-form.ts'
import { NEW_PASSWORD } from './accept-invitation.ts'
import type { Browser } from './sessions.ts'
import { findByPassword } from './sign-in.ts'

// Several acts in one file: they list, change and remove the same thing.

/** The field of a person. */
export const USERNAME = required(userName('user name of the person'))
/** The field of a role. */
export const ROLE = required(oneOf(ADMIN_ROLES, 'what they may do'))
const role = word(...ADMIN_ROLES)

/** The people who have a role for a publisher. */
export const listPeople = defineAct({
  name: 'people.list',
  route: 'GET /people',
  id: 'listPeople',
  roles: READERS,
  summary: 'People who work in the console for this publisher.',
  fields: {},
  answer: pageOf(object({ username: string, name: string, role, everywhere: about('the role is for every publisher', boolean) })),
  async run({ store, tenantId }) {
    const people = await listStoredPeople(store.read)
    return list(
      people.flatMap((person) => {
        const own = roleFor(person, tenantId)
        return own === undefined || !person.isActive
          ? []
          : [{ ...present(person), role: own, everywhere: person.role !== undefined }]
      }),
    )
  },
})

/** Everybody of the deployment, also those who may not sign in any more. */
export const listEverybody = defineAct({
  name: 'people.everybody',
  route: 'GET /deployment/people',
  id: 'listEverybody',
  roles: ADMINISTRATORS,
  scope: 'deployment',
  summary: 'Everybody of the deployment, also those who may not sign in any more.',
  fields: {},
  answer: pageOf(
    object({
      username: string,
      name: string,
      status: word(...LOGIN_STATUSES),
      roles: about('role by publisher; *: every publisher', mapOf(role)),
    }),
  ),
  command: {
    words: 'people list',
    columns: [
      ['USER', ({ username }) => username],
      ['NAME', ({ name }) => name],
      ['STATUS', ({ status }) => status],
      [
        'ROLES',
        ({ roles }) =>
          Object.entries(roles)
            .map((each) => each.join(': '))
            .join(', '),
      ],
    ],
  },
  async run({ store }) {
    const people = await listStoredPeople(store.read)
    return list(
      people.map((person) => ({
        ...present(person),
        status: person.isActive ? ('active' as const) : ('revoked' as const),
        roles: person.role === undefined ? Object.fromEntries(person.roles) : { '*': person.role },
      })),
    )
  },
})

/** Changes the role of a person for one publisher. Throws REFERENCE_NOT_FOUND, INVALID_STATE for a person with a role for every publisher. */
export const setRole = defineAct({
  name: 'people.role',
  route: 'PUT /people/{username}/role',
  id: 'setRole',
  roles: ADMINISTRATORS,
  summary: 'Changes the role of a person.',
  fields: { username: USERNAME, role: ROLE },
  answer: object({ username: string, role }),
  command: { text: ({ username, role }) => [`${username} is ${role}`] },
  async watch(tx, { tenantId }, { username }) {
    const person = (await listStoredPeople(tx)).find((each) => each.username === username)
    return person && { role: roleFor(person, tenantId) }
  },
  async run(context, { username, role }) {
    await context.store.transaction(async (tx) => {
      const { personId } = await personOfOneTenant(tx, context, username)
      await saveRole(tx, personId, { tenantId: context.tenantId, role })
    })
    return { username, role }
  },
})

/** Takes a person's role for one publisher away; nothing of it is shown to them from now on. Throws as {@link setRole} does. */
export const removePerson = defineAct({
  name: 'people.remove',
  route: 'DELETE /people/{username}',
  id: 'removePerson',
  roles: ADMINISTRATORS,
  summary: 'Removes a person’s role.',
  fields: { username: USERNAME },
  answer: object({ username: string, removed: boolean }),
  command: { text: ({ username }) => [`${username} has no role for this publisher any more`] },
  async run(context, { username }) {
    await context.store.transaction(async (tx) => {
      const person = await personOfOneTenant(tx, context, username)
      context.noteChanges({ role: [roleFor(person, context.tenantId) ?? null, null] })
      await deleteRole(tx, person.personId, context.tenantId)
    })
    return { username, removed: true }
  },
})

/** Ends a person's account and all of their sessions, for every publisher. Throws REFERENCE_NOT_FOUND. */
export const revokePerson = defineAct({
  name: 'people.revoke',
  route: 'POST /deployment/people/{username}/revoke',
  id: 'revokePerson',
  roles: ADMINISTRATORS,
  scope: 'deployment',
  summary: 'Ends a person’s account and all of their sessions, for every publisher.',
  fields: { username: USERNAME },
  answer: object({ username: string, status: word('revoked') }),
  command: { text: ({ username }) => [`${username} cannot sign in any more`] },
  async watch(tx, _context, { username }) {
    const person = (await listStoredPeople(tx)).find((each) => each.username === username)
    return person && { status: person.isActive ? 'active' : 'revoked' }
  },
  async run({ store, clock }, { username }) {
    const person = (await listStoredPeople(store.read)).find((each) => each.username === username)
    if (!person) throw missingPerson(username)
    await store.transaction(async (tx) => {
      await setPersonRevoked(tx, person.personId, clock())
      await deletePersonSessions(tx, person.personId)
    })
    return { username, status: 'revoked' as const }
  },
})

/** Changes a person's own password; every other session of theirs ends. Throws INVALID_REQUEST, also for a wrong present one, RATE_LIMITED after too many. */
export async function changePassword(
  context: OperatorContext,
  person: Person,
  { present, next, browser }: { readonly present: string; readonly next: string; readonly browser: Browser },
  guard: GuessGuard,
): Promise<void> {
  if (!(await findByPassword(context, { username: person.username, password: present, browser }, guard)))
    throw new AdcpError('INVALID_REQUEST', 'the present password is wrong', { field: 'present' })
  const hash = await hashPassword(checkedValues({ password: next }, { password: NEW_PASSWORD }).password)
  await auditedStore(context, { task: 'people.password', subject: person.username }).transaction(async (tx) => {
    await setPasswordHash(tx, person.personId, hash)
    await deletePersonSessions(tx, person.personId)
  })
}

async function personOfOneTenant(tx: Db, { tenantId, actor }: ActContext, username: string): Promise<Person> {
  if (actor.who === `person:${username}`)
    throw new AdcpError('INVALID_STATE', 'nobody changes or removes their own role: ask another administrator', {
      field: 'username',
    })
  const person = (await listStoredPeople(tx)).find((each) => each.username === username)
  if (!person || roleFor(person, tenantId) === undefined) throw missingPerson(username)
  if (person.role === undefined) return person
  const message = `${username} has a role for every publisher; use: sales-agent people revoke ${username}`
  throw new AdcpError('INVALID_STATE', message, { field: 'username' })
}

function present({ username, name }: Person) {
  return { username, name }
}

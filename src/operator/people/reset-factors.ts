import { type Person, roleFor } from '../../domain/people/person.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../../store/database.ts'
import { listPeople } from '../../store/people/people.ts'
import { deleteFactors, listFactors } from '../../store/people/person-factors.ts'
import { deletePersonSessions } from '../../store/people/person-sessions.ts'
import { type ActContext, defineAct } from '../act.ts'
import { missingPerson } from '../missing-person.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { about, boolean, integer, list, object, pageOf, string } from '../shape.ts'
import { listTenants } from '../tenants/list-tenants.ts'
import { USERNAME } from './manage-people.ts'
import { requiresFactor } from './required-factor.ts'
import { tellPerson } from './tell-person.ts'

// Several acts in one file: they list, change and remove the same thing.

const OF_PERSON = { username: USERNAME }
const reset = object({ username: string, removed: about('whether there was a second factor', boolean) })
const NONE = { totp: false, passkeys: 0 }

/** Who of the people of a publisher has a second factor. */
export const listPeopleFactors = defineAct({
  name: 'people.factors',
  route: 'GET /people/second-factors',
  id: 'listPeopleFactors',
  roles: ADMINISTRATORS,
  summary: 'Second factors of the people who work in the console for this publisher.',
  fields: {},
  answer: pageOf(
    object({
      username: string,
      authenticator_app: boolean,
      passkeys: integer,
      needed: about('a role of theirs needs a second factor: without one they get nowhere but to its page', boolean),
      elsewhere: about(
        'they have roles for other publishers too: an administrator of every publisher removes their factors',
        boolean,
      ),
    }),
  ),
  command: {
    columns: [
      ['USER', ({ username }) => username],
      ['AUTHENTICATOR APP', (each) => (each.authenticator_app ? 'yes' : '')],
      ['PASSKEYS', ({ passkeys }) => String(passkeys)],
      ['NEEDED', ({ needed }) => (needed ? 'yes' : '')],
    ],
  },
  async run(context) {
    const { store, tenantId, config } = context
    const [people, factors, publishers] = [
      await listPeople(store.read),
      await listFactors(store.read),
      await listTenants(context),
    ]
    const own = people.filter((person) => person.isActive && roleFor(person, tenantId) !== undefined)
    return list(
      own.map((person) => {
        const { totp, passkeys } = factors.get(person.personId) ?? NONE
        const needed = requiresFactor(config, publishers, person, 'password')
        return { username: person.username, authenticator_app: totp, passkeys, needed, elsewhere: worksElsewhere(person) }
      }),
    )
  },
})

/** Removes every second factor of anybody. Throws REFERENCE_NOT_FOUND. */
export const resetAnyFactors = defineAct({
  name: 'people.reset-factors-everywhere',
  route: 'POST /deployment/people/{username}/reset-factors',
  id: 'resetAnyFactors',
  roles: ADMINISTRATORS,
  scope: 'deployment',
  summary: 'Removes all second factors and recovery codes of a person, whatever their roles, and ends their sessions.',
  fields: OF_PERSON,
  answer: reset,
  watch: (tx, _context, { username }) => watchedFactors(tx, username),
  run: (context, { username }) => resetFactors(context, username, () => undefined),
})

/** Removes every second factor of a person who works for this publisher alone. Throws REFERENCE_NOT_FOUND, INVALID_STATE for somebody with roles elsewhere. */
export const resetPersonFactors = defineAct({
  name: 'people.reset-factors',
  route: 'POST /people/{username}/reset-factors',
  id: 'resetPersonFactors',
  roles: ADMINISTRATORS,
  summary: 'Removes all second factors and recovery codes of a person, and ends their sessions.',
  fields: OF_PERSON,
  answer: reset,
  command: {
    help: 'remove all second factors of a person who has lost them; without --tenant, also of one who has roles for several publishers',
    withoutTenant: resetAnyFactors,
    text: ({ username, removed }) => [
      removed ? `${username} has no second factor any more and is signed out` : `${username} had no second factor`,
    ],
  },
  watch: (tx, { tenantId }, { username }) => watchedFactors(tx, username, tenantId),
  run: (context, { username }) =>
    resetFactors(context, username, (person) => {
      const { tenantId } = context
      if (roleFor(person, tenantId) === undefined) throw missingPerson(username)
      if (!worksElsewhere(person)) return
      const message = `${username} has roles for other publishers too; an administrator of every publisher can do it, or: sales-agent people reset-factors ${username}`
      throw new AdcpError('INVALID_STATE', message, { field: 'username' })
    }),
})

function worksElsewhere({ role, roles }: Person): boolean {
  return role !== undefined || roles.size > 1
}

async function resetFactors(
  { store, clock, actor, noteChanges }: ActContext,
  username: string,
  requireMine: (person: Person) => void,
): Promise<{ readonly username: string; readonly removed: boolean }> {
  if (actor.who === `person:${username}`) {
    const message = 'your own second factors are removed on the page of your account'
    throw new AdcpError('INVALID_STATE', message, { field: 'username' })
  }
  return store.transaction(async (tx) => {
    const person = (await listPeople(tx)).find((each) => each.username === username)
    if (!person) throw missingPerson(username)
    requireMine(person)
    const removed = (await listFactors(tx)).has(person.personId)
    await deleteFactors(tx, person.personId)
    await deletePersonSessions(tx, person.personId)
    noteChanges({ sessions: [null, 'ended'] })
    if (removed) {
      const text =
        'An administrator removed the second factors of your account and ended your sessions. Sign in and set up new ones.'
      await tellPerson(tx, person, text, clock())
    }
    return { username, removed }
  })
}

/** What the log says of a person's factors; of somebody who does not work for the publisher, nothing. */
async function watchedFactors(tx: Db, username: string, tenantId?: string): Promise<object | undefined> {
  const person = (await listPeople(tx)).find((each) => each.username === username)
  if (!person || (tenantId !== undefined && roleFor(person, tenantId) === undefined)) return undefined
  const { totp, passkeys } = (await listFactors(tx)).get(person.personId) ?? NONE
  return { authenticator_app: totp, passkeys }
}

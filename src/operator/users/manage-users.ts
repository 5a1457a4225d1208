import { randomBytes } from 'node:crypto'
import { LOGIN_STATUSES } from '../../domain/identity/basic-user.ts'
import { hashPassword, MAX_PASSWORD } from '../../security/auth/password.ts'
import type { Db } from '../../store/database.ts'
import { addBasicUser, listBasicUsers, revokeBasicUser } from '../../store/identity/basic-users.ts'
import { allowPrincipal, disallowPrincipal, listUserIdentities } from '../../store/identity/user-principals.ts'
import { defineAct } from '../act.ts'
import { exact, logged, ofLength, required, text } from '../fields.ts'
import { BUYER, NAMED_BUYER, namedBuyer } from '../named-buyer.ts'
import { ADMINISTRATORS, READERS } from '../roles.ts'
import { boolean, list, object, optional, pageOf, string, word } from '../shape.ts'
import { inForm, type TextForm, userName } from '../text-form.ts'

// Several acts in one file: they list, change and remove the same thing.

/** RFC 7617 §2. */
const USERNAME: TextForm = {
  pattern: '^[^:\\u0000-\\u001f\\u007f-\\u009f]+$',
  words: 'a text without a colon and without control characters',
}

/** Shortest password that a person may choose. */
const MIN_PASSWORD = 16

const USER_NAME = userName('user name')
const USER = required(USER_NAME)

/**
 * Adds a user name with a password (HTTP Basic, and log-in of assistants) for a buyer. Without `password` one is made and given back, this once. Throws
 * INVALID_REQUEST for a name that is taken, REFERENCE_NOT_FOUND.
 */
export const addUser = defineAct({
  name: 'users.add',
  route: 'POST /users',
  id: 'addUser',
  roles: ADMINISTRATORS,
  summary: 'Adds a user; without a password one is made, and is in this answer and nowhere else.',
  fields: {
    username: required(inForm(USERNAME, USER_NAME)),
    buyer: logged(BUYER),
    password: ofLength(MIN_PASSWORD, MAX_PASSWORD, exact(text(`${MIN_PASSWORD} characters or more`))),
  },
  subject: 'username',
  answer: object({ username: string, buyer: string, password: optional(string) }),
  command: {
    args: ['username'],
    stdin: ['password'],
    text: ({ username, buyer, password }) => [
      `user ${username} for ${buyer}`,
      ...(password === undefined ? [] : ['', `  ${password}`, '', 'It is shown this once.']),
    ],
    json: ({ username, buyer, ...made }, _, tenant) => ({ username, tenant, ...namedBuyer(buyer), ...made }),
  },
  async run({ store, tenantId, clock }, { username, buyer, password: chosen }) {
    const password = chosen ?? randomBytes(24).toString('base64url')
    const passwordHash = await hashPassword(password)
    await store.transaction((tx) => addBasicUser(tx, { tenantId, principalId: buyer, username, passwordHash }, clock()))
    return { username, buyer, ...(chosen === undefined && { password }) }
  },
})

/** Lets a user choose one more buyer when connecting an assistant. Throws REFERENCE_NOT_FOUND. */
export const allowUser = defineAct({
  name: 'users.allow',
  route: 'PUT /users/{username}/buyers/{buyer}',
  id: 'allowUser',
  roles: ADMINISTRATORS,
  summary: 'Lets a user choose one more buyer when connecting an assistant.',
  fields: { username: USER, buyer: BUYER },
  subject: 'username',
  answer: object({ username: string, buyer: string }),
  command: {
    args: ['username'],
    text: ({ username, buyer }) => [`${username} may choose ${buyer}`],
    json: ({ username, buyer }, _, tenant) => ({ username, tenant, ...namedBuyer(buyer), allowed: true }),
  },
  watch: (tx, _context, { username }) => buyersOf(tx, username),
  async run({ store, tenantId, clock }, { username, buyer }) {
    await store.transaction((tx) => allowPrincipal(tx, { tenantId, username, principalId: buyer }, clock()))
    return { username, buyer }
  },
})

/** The buyers that a user may choose, for the audit log. */
async function buyersOf(tx: Db, username: string) {
  return { buyers: (await listUserIdentities(tx, username)).map(({ principal }) => principal.principalId) }
}

/** Takes {@link allowUser} back. Throws REFERENCE_NOT_FOUND. */
export const disallowUser = defineAct({
  name: 'users.disallow',
  route: 'DELETE /users/{username}/buyers/{buyer}',
  id: 'disallowUser',
  roles: ADMINISTRATORS,
  summary: 'Removes a buyer from those that a user may act as.',
  fields: { username: USER, buyer: BUYER },
  subject: 'username',
  answer: object({ username: string, buyer: string, removed: boolean }),
  command: {
    args: ['username'],
    text: ({ username, buyer }) => [`${username} may not choose ${buyer} any more`],
    json: ({ username, buyer }, _, tenant) => ({ username, tenant, ...namedBuyer(buyer), allowed: false }),
  },
  watch: (tx, _context, { username }) => buyersOf(tx, username),
  async run({ store, tenantId }, { username, buyer }) {
    await store.transaction((tx) => disallowPrincipal(tx, tenantId, username, buyer))
    return { username, buyer, removed: true }
  },
})

/** The users of a publisher. */
export const listUsers = defineAct({
  name: 'users.list',
  route: 'GET /users',
  id: 'listUsers',
  roles: READERS,
  summary: 'User names of buyers (HTTP Basic, and log-in of assistants).',
  fields: {},
  answer: pageOf(object({ username: string, ...NAMED_BUYER, status: word(...LOGIN_STATUSES) })),
  command: {
    columns: [
      ['USER', ({ username }) => username],
      ['BUYER', ({ buyer }) => buyer],
      ['STATUS', ({ status }) => status],
    ],
  },
  async run({ store, tenantId }) {
    const users = await listBasicUsers(store.read, tenantId)
    return list(users.map(({ username, principal, status }) => ({ username, ...namedBuyer(principal), status })))
  },
})

/** Ends a user now. Throws REFERENCE_NOT_FOUND. */
export const revokeUser = defineAct({
  name: 'users.revoke',
  route: 'POST /users/{username}/revoke',
  id: 'revokeUser',
  roles: ADMINISTRATORS,
  summary: 'Disables a user at once.',
  fields: { username: USER },
  answer: object({ username: string, status: word('revoked') }),
  command: {
    text: ({ username }) => [`user ${username} is revoked`],
    json: ({ username }, _, tenant) => ({ username, tenant, revoked: true }),
  },
  async watch(tx, { tenantId }, { username }) {
    const user = (await listBasicUsers(tx, tenantId)).find((each) => each.username === username)
    return user && { status: user.status }
  },
  async run({ store, tenantId, clock }, { username }) {
    await store.transaction((tx) => revokeBasicUser(tx, tenantId, username, clock()))
    return { username, status: 'revoked' as const }
  },
})

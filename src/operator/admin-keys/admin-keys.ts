import { ADMIN_ROLES, type AdminRole } from '../../domain/identity/admin-role.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { hashToken, newKey } from '../../security/auth/opaque-key.ts'
import { type AdminKeyRow, addAdminKey, findAdminKey, listAdminKeys, revokeAdminKey } from '../../store/identity/admin-keys.ts'
import { type ActContext, defineAct } from '../act.ts'
import { atMost, flag, logged, oneOf, required, text } from '../fields.ts'
import { publisherCalendar } from '../flight.ts'
import { endOrSpan, readExpiry } from '../moment.ts'
import type { OperatorContext } from '../operator-context.ts'
import { requirePublisher } from '../require-publisher.ts'
import { ADMINISTRATORS, READERS } from '../roles.ts'
import { boolean, list, moment, named, type Of, object, orNull, pageOf, string, word } from '../shape.ts'
import { PUBLISHER } from '../tenants/present-tenant.ts'
import { idText } from '../text-form.ts'

// Several acts in one file: the same act for a publisher, for the deployment, or for one buyer.

export interface NewAdminKey {
  readonly tenantId: string
  /** What it is for. */
  readonly name: string
  readonly role: AdminRole
  /** A last day, a time, or a span such as `90d`. */
  readonly expires?: string | undefined
  /** May act on the whole deployment too; for administrators. */
  readonly deployment?: boolean | undefined
}

/** A key that was made, with its token. */
export type MadeAdminKey = Of<typeof madeKey>
const madeKey = object({ key_id: string, token: string, role: word(...ADMIN_ROLES), expires_at: orNull(moment) })

const NEW = {
  name: logged(required(atMost(200, text('what it is for')))),
  role: logged(required(oneOf(ADMIN_ROLES, 'what it may do'))),
  expires: endOrSpan('a last day, in the time zone of the publisher, or a time, or a span such as 90d'),
}

export const makeAdminKey = defineAct({
  name: 'admin-keys.create',
  route: 'POST /admin-keys',
  id: 'createAdminKey',
  roles: ADMINISTRATORS,
  summary: 'Makes a key of this API; the token is in this answer and nowhere else.',
  fields: NEW,
  answer: madeKey,
  run: (context, values) => issueAdminKey(context, { tenantId: context.tenantId, ...values }),
})

export const makePublisherAdminKey = defineAct({
  name: 'admin-keys.create-for',
  route: 'POST /deployment/publishers/{publisher}/admin-keys',
  id: 'createPublisherAdminKey',
  roles: ADMINISTRATORS,
  scope: 'deployment',
  publisher: 'publisher',
  summary: 'Makes a key of this API for a publisher; the token is in this answer and nowhere else.',
  fields: {
    publisher: PUBLISHER,
    ...NEW,
    deployment: logged(flag('it may act on the whole deployment too: publishers, directory, signing keys')),
  },
  answer: madeKey,
  command: {
    words: 'admin-keys create',
    help: 'make a key; it is printed once',
    args: [],
    defaults: { role: 'viewer' },
    text: ({ role, key_id: id, token }) => [`${role} key ${id}, shown this once:`, '', `  ${token}`, ''],
  },
  run(context, { publisher, ...values }) {
    // The same as what the publisher's own administrators do: one name in its log.
    context.noteName(makeAdminKey.name)
    return issueAdminKey(context, { tenantId: publisher, ...values })
  },
})

/** Throws INVALID_REQUEST for a day that is over, and a key for the deployment that is not an administrator's; REFERENCE_NOT_FOUND. */
async function issueAdminKey(
  {
    store,
    config,
    clock,
    noteSubject,
    noteChanges,
  }: Pick<ActContext, 'store' | 'config' | 'clock' | 'noteSubject' | 'noteChanges'>,
  { tenantId, name, role, expires, deployment = false }: NewAdminKey,
): Promise<MadeAdminKey> {
  if (deployment && role !== 'administrator')
    throw new AdcpError('INVALID_REQUEST', 'a key for the deployment has the role administrator', { field: 'role' })
  const now = clock()
  const { calendar } = await publisherCalendar({ store, config }, tenantId)
  const expiresAt = expires === undefined ? null : readExpiry(expires, now, calendar).toISOString()
  const { keyId, hash, token } = newKey('ak')
  noteSubject(keyId)
  noteChanges({ expires_at: [null, expiresAt] })
  await store.transaction(async (tx) => {
    await requirePublisher(tx, tenantId, 'publisher')
    await addAdminKey(tx, {
      key_hash: hash,
      key_id: keyId,
      tenant_id: tenantId,
      name,
      role,
      deployment: deployment ? 1 : 0,
      created_at: now.toISOString(),
      expires_at: expiresAt,
    })
  })
  return { key_id: keyId, token, role, expires_at: expiresAt }
}

export const showAdminKeys = defineAct({
  name: 'admin-keys.list',
  route: 'GET /admin-keys',
  id: 'listAdminKeys',
  roles: READERS,
  summary: 'Keys of this API, never their tokens.',
  fields: {},
  answer: pageOf(
    named(
      'ShownAdminKey',
      object({
        key_id: string,
        tenant_id: string,
        name: string,
        role: word(...ADMIN_ROLES),
        deployment: boolean,
        created_at: moment,
        expires_at: orNull(moment),
        revoked_at: orNull(moment),
      }),
    ),
  ),
  command: {
    help: 'list the keys',
    columns: [
      ['KEY', (key) => key.key_id],
      ['NAME', ({ name }) => name],
      ['ROLE', ({ role }) => role],
      ['CREATED', (key) => key.created_at],
      ['EXPIRES', (key) => key.expires_at ?? ''],
      ['REVOKED', (key) => key.revoked_at ?? ''],
    ],
  },
  async run({ store, tenantId }) {
    const keys = await listAdminKeys(store.read, tenantId)
    return list(keys.map((key) => ({ ...key, deployment: key.deployment === 1 })))
  },
})

/** Ends a key of the admin API. Throws REFERENCE_NOT_FOUND. */
export const endAdminKey = defineAct({
  name: 'admin-keys.revoke',
  route: 'POST /admin-keys/{key}/revoke',
  id: 'revokeAdminKey',
  roles: ADMINISTRATORS,
  summary: 'Ends a key of this API now.',
  fields: { key: required(idText('id of the key of the admin API')) },
  answer: object({ key_id: string, revoked: boolean }),
  command: { help: 'end a key now', text: ({ key_id: id }) => [`revoked ${id}`] },
  async watch(tx, { tenantId }, { key }) {
    const known = (await listAdminKeys(tx, tenantId)).find((each) => each.key_id === key)
    return known && { revoked_at: known.revoked_at }
  },
  async run({ store, clock, tenantId, caller }, { key }) {
    await store.transaction(async (tx) => {
      const known = (await listAdminKeys(tx, tenantId)).find((each) => each.key_id === key)
      if (known?.deployment === 1 && !caller.deployment) {
        const message = `key ${key} acts on the whole deployment: only who may do that too ends it`
        throw new AdcpError('PERMISSION_DENIED', message, { field: 'key' })
      }
      await revokeAdminKey(tx, tenantId, key, clock())
    })
    return { key_id: key, revoked: true }
  },
})

/** The key that a token belongs to, while it is valid. */
export function identifyAdminKey({ store, clock }: OperatorContext, token: string): Promise<AdminKeyRow | undefined> {
  return findAdminKey(store.read, hashToken(token), clock())
}

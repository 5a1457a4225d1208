import { AdcpError } from '../../protocol/errors.ts'
import { deleteOauthRecord } from '../../store/identity/oauth-records.ts'
import { defineAct } from '../act.ts'
import { changedMembers } from '../changed-members.ts'
import { required } from '../fields.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { integer, list, listOf, mapOf, moment, object, orNull, pageOf, string } from '../shape.ts'
import { idText } from '../text-form.ts'
import { endGrant, GRANT, GRANT_BUYER, goneGrant, storedClients, storedGrants } from './stored-grants.ts'

// Several acts in one file: they list, change and remove the same thing.

const DEPLOYMENT = { roles: ADMINISTRATORS, scope: 'deployment' } as const

/** The registered clients, e.g. assistants. */
export const listClients = defineAct({
  name: 'oauth.clients',
  route: 'GET /deployment/oauth/clients',
  id: 'listOauthClients',
  ...DEPLOYMENT,
  summary: 'The registered clients, e.g. assistants.',
  fields: {},
  answer: pageOf(
    object({
      client_id: string,
      client_name: string,
      redirect_uris: listOf(string),
      registered_at: moment,
      used_at: orNull(moment),
    }),
  ),
  command: {
    columns: [
      ['CLIENT', (row) => row.client_id],
      ['NAME', (row) => row.client_name],
      ['REDIRECTS', (row) => row.redirect_uris.join(' ')],
      ['USED', (row) => row.used_at ?? 'never'],
    ],
  },
  run: async (context) => list(await storedClients(context)),
})

/** Which user lets which client act, and for what. */
export const listGrants = defineAct({
  name: 'oauth.grants',
  route: 'GET /deployment/oauth/grants',
  id: 'listOauthGrants',
  ...DEPLOYMENT,
  summary: 'Which user lets which client act, and for what.',
  fields: {},
  answer: pageOf(
    object({
      grant: string,
      user: string,
      ...GRANT_BUYER,
      client_id: string,
      resources: mapOf(string),
      granted_at: moment,
    }),
  ),
  command: {
    columns: [
      ['GRANT', ({ grant }) => grant],
      ['USER', ({ user, buyer }) => (buyer === null ? user : `${user} as ${buyer}`)],
      ['CLIENT', (row) => row.client_id],
      ['SCOPES', ({ resources }) => Object.values(resources).join(' ')],
      ['GRANTED', (row) => row.granted_at],
    ],
  },
  run: async (context) => list(await storedGrants(context)),
})

/** Ends a grant: its tokens stop working at once. Throws REFERENCE_NOT_FOUND. */
export const revokeGrant = defineAct({
  name: 'oauth.end-grant',
  route: 'POST /deployment/oauth/grants/{grant}/revoke',
  id: 'revokeOauthGrant',
  ...DEPLOYMENT,
  summary: 'Ends a grant: its tokens stop working at once.',
  fields: { grant: GRANT },
  answer: object({ revoked: string }),
  command: {
    words: 'oauth revoke',
    anyId: true,
    text: ({ revoked }) => [`grant ${revoked} is revoked; its tokens stop working at once`],
  },
  async run(context, { grant }) {
    const ended = (await storedGrants(context)).find((each) => each.grant === grant)
    if (ended) context.noteChanges(goneGrant(ended))
    await context.store.transaction((tx) => endGrant(tx, grant))
    return { revoked: grant }
  },
})

/** Removes a client and ends every grant to it. Throws REFERENCE_NOT_FOUND. */
export const removeClient = defineAct({
  name: 'oauth.remove-client',
  route: 'DELETE /deployment/oauth/clients/{client}',
  id: 'removeOauthClient',
  ...DEPLOYMENT,
  summary: 'Removes a client and ends every grant to it.',
  fields: { client: required(idText('id of the client')) },
  answer: object({ removed: string, grants: integer }),
  command: { anyId: true, text: ({ removed, grants }) => [`client ${removed} is gone, with ${grants} grants`] },
  async run(context, { client }) {
    const grants = (await storedGrants(context)).filter((grant) => grant.client_id === client)
    const known = (await storedClients(context)).find((each) => each.client_id === client)
    context.noteChanges(changedMembers({ client_name: known?.client_name, grants: grants.map(({ grant }) => grant) }, {}))
    await context.store.transaction(async (tx) => {
      for (const { grant } of grants) await endGrant(tx, grant)
      if (await deleteOauthRecord(tx, 'Client', client)) return
      throw new AdcpError('REFERENCE_NOT_FOUND', 'there is no such client', { field: 'client' })
    })
    return { removed: client, grants: grants.length }
  },
})

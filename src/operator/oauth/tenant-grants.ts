import { AdcpError } from '../../protocol/errors.ts'
import { listBasicUsers } from '../../store/identity/basic-users.ts'
import { type ActContext, defineAct } from '../act.ts'
import { namedBuyer } from '../named-buyer.ts'
import { ADMINISTRATORS, READERS } from '../roles.ts'
import { about, boolean, list, moment, named, type Of, object, orNull, pageOf, string } from '../shape.ts'
import { endGrant, GRANT, GRANT_BUYER, goneGrant, storedClients, storedGrants } from './stored-grants.ts'

// Several acts in one file: they list, change and remove the same thing.

const connectedAssistant = named(
  'ConnectedAssistant',
  about(
    'An assistant that a person connected by logging in.',
    object({
      grant: string,
      assistant: about('Name that the assistant registered with; its own words.', string),
      client_id: string,
      user: string,
      ...GRANT_BUYER,
      granted_at: moment,
      used_at: orNull(moment),
    }),
  ),
)

/** The assistants that users of a publisher connected, newest first. */
export const listConnectedAssistants = defineAct({
  name: 'oauth.assistants',
  route: 'GET /assistants',
  id: 'listConnectedAssistants',
  roles: READERS,
  summary: 'The assistants that users of the publisher connected, newest first.',
  fields: {},
  answer: pageOf(connectedAssistant),
  run: async (context) => list(await assistantsOf(context)),
})

/** Ends the grant of a publisher's user: its tokens stop working at once. Throws REFERENCE_NOT_FOUND. */
export const disconnectAssistant = defineAct({
  name: 'oauth.revoke',
  route: 'DELETE /assistants/{grant}',
  id: 'disconnectAssistant',
  roles: ADMINISTRATORS,
  summary: 'Ends the grant of an assistant: its tokens stop working at once.',
  fields: { grant: GRANT },
  answer: object({ grant: string, disconnected: boolean }),
  async run(context, { grant }) {
    const found = (await assistantsOf(context)).find((each) => each.grant === grant)
    if (!found) throw new AdcpError('REFERENCE_NOT_FOUND', 'there is no such grant', { field: 'grant' })
    context.noteChanges(goneGrant(found))
    await context.store.transaction((tx) => endGrant(tx, grant))
    return { grant, disconnected: true }
  },
})

async function assistantsOf(context: ActContext): Promise<readonly Of<typeof connectedAssistant>[]> {
  const users = await listBasicUsers(context.store.read, context.tenantId)
  const owners = new Map(users.map(({ username, principal: buyer }) => [username, buyer]))
  const clients = new Map((await storedClients(context)).map((client) => [client.client_id, client]))
  return (await storedGrants(context))
    .filter(({ user }) => owners.has(user))
    .map(({ grant, user, buyer, client_id, granted_at }) => ({
      grant,
      assistant: clients.get(client_id)?.client_name || client_id,
      client_id,
      user,
      ...namedBuyer(buyer ?? owners.get(user) ?? null),
      granted_at,
      used_at: clients.get(client_id)?.used_at ?? null,
    }))
    .toSorted((a, b) => (a.granted_at < b.granted_at ? 1 : -1))
}

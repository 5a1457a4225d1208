import { AdcpError } from '../../protocol/errors.ts'
import type { OperatorContext } from '../operator-context.ts'
import { listUsers } from '../users/manage-users.ts'
import { listClients, listGrants, revokeGrant } from './oauth-grants.ts'

/** An assistant that a person connected by logging in. */
export interface ConnectedAssistant {
  readonly grant: string
  /** Name that the assistant registered with; its own words. */
  readonly assistant: string
  readonly client_id: string
  readonly user: string
  /** Agent that it acts as; null: the one that the user belongs to. */
  readonly principal: string | null
  readonly granted_at: string
  readonly used_at: string | null
}

/** The assistants that users of a publisher connected, newest first. */
export async function listConnectedAssistants(
  context: OperatorContext,
  tenantId: string,
): Promise<readonly ConnectedAssistant[]> {
  const owners = new Map((await listUsers(context, tenantId)).map(({ username, principal }) => [username, principal]))
  const clients = new Map((await listClients(context)).map((client) => [client.client_id, client]))
  return (await listGrants(context))
    .filter(({ user }) => owners.has(user))
    .map(({ grant, user, principal, client_id, granted_at }) => ({
      grant,
      assistant: clients.get(client_id)?.client_name || client_id,
      client_id,
      user,
      principal: principal ?? owners.get(user) ?? null,
      granted_at,
      used_at: clients.get(client_id)?.used_at ?? null,
    }))
    .toSorted((a, b) => (a.granted_at < b.granted_at ? 1 : -1))
}

/** Ends the grant of a publisher's user: its tokens stop working at once. Throws REFERENCE_NOT_FOUND. */
export async function disconnectAssistant(context: OperatorContext, tenantId: string, grantId: string): Promise<void> {
  const found = (await listConnectedAssistants(context, tenantId)).find(({ grant }) => grant === grantId)
  if (!found) throw new AdcpError('REFERENCE_NOT_FOUND', 'there is no such grant', { field: 'grant' })
  await revokeGrant(context, found.grant, tenantId)
}

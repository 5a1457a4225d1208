import type { Act } from '../act.ts'
import { listClients, listGrants, removeClient, revokeGrant } from './oauth-grants.ts'
import { rotateTokenKey } from './rotate-token-key.ts'
import { disconnectAssistant, listConnectedAssistants } from './tenant-grants.ts'

/** What can be done with the assistants that people connected by logging in, in the order of the help. */
export const oauthActs: readonly Act[] = [
  listConnectedAssistants,
  disconnectAssistant,
  listClients,
  listGrants,
  revokeGrant,
  removeClient,
  rotateTokenKey,
]

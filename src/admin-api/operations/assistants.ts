import { disconnectAssistant, listConnectedAssistants } from '../../operator/oauth/tenant-grants.ts'
import { ADMINISTRATORS } from '../../operator/roles.ts'
import { list } from '../../operator/shape.ts'
import { type AdminOperation, operation } from '../operation.ts'

export const assistantOperations: readonly AdminOperation[] = [
  operation('GET /assistants', 'listConnectedAssistants', {
    roles: ADMINISTRATORS,
    summary: 'The assistants that users of the publisher connected, newest first.',
    fields: {},
    run: async (context, { tenantId }) => list(await listConnectedAssistants(context, tenantId)),
  }),
  operation('DELETE /assistants/{grant}', 'disconnectAssistant', {
    roles: ADMINISTRATORS,
    summary: 'Ends the grant of an assistant: its tokens stop working at once.',
    fields: {},
    async run(context, { tenantId, params }) {
      await disconnectAssistant(context, tenantId, params.grant)
      return { grant: params.grant, disconnected: true }
    },
  }),
]

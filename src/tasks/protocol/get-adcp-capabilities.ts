import type { GetAdCPCapabilitiesRequest } from '@adcp/sdk/types'
import type { Capabilities } from '../../domain/protocol/capabilities.ts'
import { capabilityChanges } from '../../domain/protocol/principal-capabilities.ts'
import { defineTask } from '../../pipeline/task.ts'
import { namesRelease } from '../../protocol/release-version.ts'
import { wholeRequest } from '../whole-request.ts'
import { capabilitiesOf, versionFor } from './capabilities-of.ts'

export const getAdcpCapabilities = defineTask<GetAdCPCapabilitiesRequest, Capabilities>()({
  name: 'get_adcp_capabilities',
  access: 'public',
  scope: 'products',
  summary: 'What this seller supports: protocols, specialisms, versions, accounts, targeting. Call it first.',
  cacheKey: wholeRequest,
  async handle(request, context) {
    const { protocols } = request
    const asked = await capabilitiesOf(context, { ...(protocols && { protocols }), namesRelease: namesRelease(request) })
    if (!context.contract.has('sync_agent_notification_configs')) return asked
    return { ...asked, adcp: { ...asked.adcp, capability_changes: capabilityChanges(await versionFor(context)) } }
  },
})

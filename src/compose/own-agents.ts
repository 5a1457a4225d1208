import { servedProtocols } from '../domain/protocol/capabilities.ts'
import type { RegistryParts } from '../features/registry/service.ts'
import { offeredTasks } from '../pipeline/offered-tasks.ts'
import type { Services } from '../pipeline/services.ts'

/** What the registry says of the tenants of this deployment: what they would answer themselves. */
export function ownAgents(services: Services): RegistryParts['own'] {
  return {
    async offerOf(tenant) {
      const tasks = (await offeredTasks(services, tenant, undefined)).map(({ name }) => name)
      return { tasks, protocols: servedProtocols(new Set(tasks)) }
    },
  }
}

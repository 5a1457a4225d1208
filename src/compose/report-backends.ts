import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { groupBy } from '../domain/group-by.ts'
import { simulatedBackends } from '../domain/protocol/simulated-backends.ts'
import { backendsOf } from '../pipeline/offered-tasks.ts'
import type { Services } from '../pipeline/services.ts'
import type { Store } from '../store/database.ts'
import { listProductionTenants, listTenants } from '../store/identity/tenants.ts'
import { connectedSystems } from './load-connections.ts'

/** Tenants that one line of the log names; `more` counts the others. */
const MOST_NAMED = 50

interface Parts {
  readonly config: Config
  readonly log: Logger
  readonly store: Store
  readonly services: Services
}

/**
 * Logs at every start which ad server serves which publisher, and warns of publishers whose production buyers get results that are made up, and of
 * settings for publishers that do not exist.
 */
export async function reportBackends({ config, log, store, services }: Parts): Promise<void> {
  const tenants = (await listTenants(store.read)).map(({ tenantId }) => tenantId)
  const { adServers } = services
  for (const [names, group] of groupBy(tenants, (tenantId) =>
    adServers
      .list(tenantId)
      .map(({ name }) => name)
      .join(', '),
  ))
    log.info({ adServer: names, ...named(group) }, 'orders are booked in this ad server')
  const unknown = Object.keys(config.tenants).filter((tenantId) => !tenants.includes(tenantId))
  if (unknown.length > 0) log.warn(named(unknown), 'the configuration has settings for publishers that do not exist')
  for (const system of connectedSystems(config, services)) log.info(system, 'a system of the publisher is connected')
  const tasks = new Set(services.wiring.tasks.keys())
  const simulatedOf = (tenantId: string) =>
    JSON.stringify(simulatedBackends(backendsOf(services, tenantId, tasks)).map(({ name }) => name))
  for (const [names, group] of groupBy(await listProductionTenants(store.read), simulatedOf)) {
    const backends: readonly string[] = JSON.parse(names)
    if (backends.length === 0) continue
    const isBooked = group.every((tenantId) => adServers.list(tenantId).every(({ simulated }) => !simulated))
    const what = isBooked ? 'some of their results are made up' : 'nothing is booked anywhere'
    log.warn({ ...named(group), backends }, `production buyers are served by simulated backends: ${what}`)
  }
}

function named(tenants: readonly string[]) {
  const more = tenants.length - MOST_NAMED
  return { tenants: tenants.slice(0, MOST_NAMED), ...(more > 0 && { more }) }
}

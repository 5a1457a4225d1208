import { type Finding, ok, problem, warning } from '../features/doctor/finding.ts'
import { listTenants } from '../store/identity/principals.ts'
import type { OperatorContext } from './operator-context.ts'

const CHECK = 'ad server'
const ADVICE = 'mend the setting, or the module (docs/ad-servers.md); the server does not start without it'

/** Loads every ad server that the configuration names, and says which publisher each serves. Never throws for what it finds. */
export async function examineAdServers({ store, config, services }: OperatorContext): Promise<readonly Finding[]> {
  const tenants = (await listTenants(store.read)).map(({ tenantId }) => tenantId)
  const unknown = Object.keys(config.tenants).filter((tenantId) => !tenants.includes(tenantId))
  const findings = unknown.map((tenantId) =>
    warning(
      CHECK,
      `the configuration has settings for ${tenantId}, which is no publisher here`,
      'sales-agent tenants list shows the ids',
    ),
  )
  try {
    const adServers = await services.adServers()
    const served = tenants.map((tenantId) => {
      const used = adServers.list(tenantId).map(({ name, products }) => (products ? `${name} (${products.join(', ')})` : name))
      return ok(CHECK, `${tenantId}: ${used.join(', ')}`)
    })
    return [...findings, ...served]
  } catch (error) {
    return [...findings, problem(CHECK, error instanceof Error ? error.message : String(error), ADVICE)]
  }
}

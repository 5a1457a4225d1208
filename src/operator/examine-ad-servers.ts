import type { AdServers } from '../ad-serving/ad-servers.ts'
import { withTimeLimit } from '../ad-serving/reconcile/timed-backend.ts'
import { reasonOf } from '../domain/ad-serving/reason-of.ts'
import { type Finding, ofPublisher, ok, problem, warning } from '../features/doctor/finding.ts'
import { listAdServerOrders } from '../store/ad-serving/ad-server-orders.ts'
import { listEmbeddedListFailures } from '../store/embedded/lists.ts'
import { listTenants } from '../store/identity/tenants.ts'
import type { OperatorContext } from './operator-context.ts'
import { describeUnserved, UNSERVED_ADVICE } from './products/unserved-products.ts'

const CHECK = 'ad server'
const ADVICE = 'mend the setting, or the module (docs/ad-servers.md); the server does not start without it'

/** Loads every ad server that the configuration names, and says which publisher each serves. Never throws for what it finds. */
export async function examineAdServers(context: OperatorContext): Promise<readonly Finding[]> {
  const { store, config, services } = context
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
      return ofPublisher(tenantId, ok(CHECK, used.join(', ')))
    })
    const reconciled = await Promise.all(tenants.map((tenantId) => examineBackends(context, adServers, tenantId)))
    const unserved = await Promise.all(tenants.map((tenantId) => examineProducts(context, adServers, tenantId)))
    const examined = tenants.map((tenantId, at) =>
      [...(reconciled[at] ?? []), ...(unserved[at] ?? [])].map((finding) => ofPublisher(tenantId, finding)),
    )
    return [...findings, ...served, ...examined.flat()]
  } catch (error) {
    return [...findings, problem(CHECK, reasonOf(error), ADVICE)]
  }
}

/** Whether the reconciled ad servers of a publisher answer, and which orders are not there as they should be. */
async function examineBackends(context: OperatorContext, adServers: AdServers, tenantId: string): Promise<readonly Finding[]> {
  const { store } = context
  const backends = adServers.backends(tenantId)
  if (backends.size === 0) return []
  const answers = await Promise.all(
    [...backends].map(async ([name, { backend }]) => {
      const reason = await withTimeLimit(backend, CHECK_MS)
        .check()
        .then(() => undefined, reasonOf)
      if (reason === undefined) return ok(CHECK, `${name} answers`)
      return problem(CHECK, `${name} does not answer: ${reason}`, 'sales-agent adservers test asks it again')
    }),
  )
  const soon = [...backends].flatMap(([name, { backend }]) =>
    (backend.warnings?.() ?? []).map((each) => warning(CHECK, `${name}: ${each}`, 'sales-agent adservers set')),
  )
  const waiting = await listAdServerOrders(store.read, tenantId, { waiting: true, limit: 1 })
  const [first] = waiting
  const findings = [...answers, ...soon, ...(await examineLists(context, tenantId))]
  if (!first?.reason) return findings
  const message = `order ${first.mediaBuyId} waits for ${first.adServer}: ${first.reason}`
  return [...findings, warning(CHECK, message, 'sales-agent adservers orders --waiting shows all')]
}

/** Products on sale of which an ad server of the publisher serves nothing, so that production buyers are not offered them. */
async function examineProducts(context: OperatorContext, adServers: AdServers, tenantId: string): Promise<readonly Finding[]> {
  const unserved = await describeUnserved(context, tenantId, adServers)
  return unserved === undefined ? [] : [warning(CHECK, unserved, UNSERVED_ADVICE)]
}

/** Lists of buyers that lines of the embedded ad server are targeted to, and that cannot be read. */
async function examineLists({ store, clock }: OperatorContext, tenantId: string): Promise<readonly Finding[]> {
  const unread = await listEmbeddedListFailures(store.read, tenantId, clock())
  return unread.map(({ kind, agentUrl, listId, failure, wasRead }) => {
    const effect = wasRead ? 'what was read before is used' : 'its lines are not shown'
    const message = `the ${kind} list ${listId} of ${agentUrl} cannot be read, ${effect}: ${failure}`
    return warning(CHECK, message, 'ask its buyer whether the list and its token still exist; it is tried again every minute')
  })
}

/** Longest check, in milliseconds. */
const CHECK_MS = 10_000

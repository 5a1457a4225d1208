import type { InventoryPage } from '../../ad-serving/backend.ts'
import type { ReconciledBackend } from '../../ad-serving/reconciled-backends.ts'
import { reasonOf } from '../../domain/ad-serving/reason-of.ts'
import { endsRefusedAt } from '../../domain/ad-serving/refused-order.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { listCredentials } from '../../store/ad-serving/ad-server-credentials.ts'
import { listDrift } from '../../store/ad-serving/ad-server-drift.ts'
import { listAdServerOrders } from '../../store/ad-serving/ad-server-orders.ts'
import { DRIFT_STATES } from '../../store/ad-serving/rows.ts'
import { listStoredAdServers } from '../../store/ad-serving/stored-ad-servers.ts'
import { askAdServer } from '../ask-ad-server.ts'
import type { OperatorContext } from '../operator-context.ts'

/** Rows of one answer. */
const MOST_ROWS = 200

/** The ad servers of a publisher: the type of each, whether orders are reconciled with it, and which terms of a line it can hold. */
export async function listAdServers({ services, store }: OperatorContext, tenantId: string) {
  const adServers = await services.adServers()
  const backends = adServers.backends(tenantId)
  const credentials = new Map(
    (await listCredentials(store.read, tenantId)).map(({ adServer, updatedAt }) => [adServer, updatedAt]),
  )
  const added = new Set((await listStoredAdServers(store.read, tenantId)).map(({ name }) => name))
  return adServers.list(tenantId).map(({ name, description, simulated, products }) => {
    const found = backends.get(name)
    return {
      name,
      description,
      simulated,
      set_by: added.has(name) ? ('publisher' as const) : ('configuration' as const),
      credentials_stored_at: credentials.get(name) ?? null,
      ...(products && { products }),
      reconciled: found !== undefined,
      ...(found && { drift: found.drift, capabilities: found.backend.capabilities }),
      ...(found?.backend.listLines && { suggests: true }),
      ...(found?.backend.reportUnits && { counts_requests: true }),
    }
  })
}

/** Asks the reconciled ad servers of a publisher whether they answer; a reason for each that does not, and what will stop working. Never throws for what it finds. */
export async function testAdServers(context: OperatorContext, tenantId: string) {
  return Promise.all(
    [...(await usedBackends(context, tenantId))].map(async ([name, { backend }]) => {
      const reason = await backend.check().then(() => undefined, reasonOf)
      const warnings = backend.warnings?.() ?? []
      return {
        name,
        ok: reason === undefined,
        ...(reason !== undefined && { reason }),
        ...(warnings.length > 0 && { warnings }),
      }
    }),
  )
}

/** A page of what can be sold at an ad server. Throws REFERENCE_NOT_FOUND, SERVICE_UNAVAILABLE and what the ad server refuses with. */
export async function listInventory(
  context: OperatorContext,
  tenantId: string,
  { adServer, after }: { readonly adServer?: string | undefined; readonly after?: string | undefined },
): Promise<InventoryPage> {
  const { name, backend } = await getBackend(context, tenantId, adServer)
  return askAdServer(name, () => backend.listInventory(tenantId, after))
}

/** Where the orders of a publisher are with its ad servers; `waiting`: only those that are not as they should be. */
export async function showOrders(
  { store }: OperatorContext,
  tenantId: string,
  filter: {
    readonly mediaBuyId?: string | undefined
    readonly adServer?: string | undefined
    readonly waiting?: boolean | undefined
  },
) {
  const { mediaBuyId, adServer, waiting = false } = filter
  const rows = await listAdServerOrders(store.read, tenantId, { mediaBuyId, adServer, waiting, limit: MOST_ROWS })
  return rows.map((row) => ({
    media_buy_id: row.mediaBuyId,
    ad_server: row.adServer,
    in_step: row.inStep,
    attempts: row.attempts,
    reason: row.reason ?? null,
    refused_since: row.refusedSince ?? null,
    ends_refused_at: endsRefusedAt(row) ?? null,
    observed_at: row.observedAt ?? null,
  }))
}

/** What changed at the ad servers of a publisher without us, of one order or of all, the newest first; `all`: what is settled too. */
export async function showDrift(
  { store }: OperatorContext,
  tenantId: string,
  { all, mediaBuyId }: { readonly all: boolean; readonly mediaBuyId?: string | undefined },
) {
  const rows = await listDrift(store.read, tenantId, { states: all ? DRIFT_STATES : ['open'], mediaBuyId, limit: MOST_ROWS })
  return rows.map((row) => ({
    drift_id: row.driftId,
    media_buy_id: row.mediaBuyId,
    ad_server: row.adServer,
    subject: row.subject,
    field: row.field,
    expected: row.expected,
    observed: row.observed,
    state: row.state,
    found_at: row.foundAt,
  }))
}

/** The reconciled ad servers that new orders of a publisher go to. */
async function usedBackends({ services }: OperatorContext, tenantId: string) {
  const adServers = await services.adServers()
  const used = new Set(adServers.list(tenantId).map(({ name }) => name))
  return new Map([...adServers.backends(tenantId)].filter(([name]) => used.has(name)))
}

/** The reconciled ad server of that name, or the only one that is used. Throws REFERENCE_NOT_FOUND. */
export async function getBackend(
  context: OperatorContext,
  tenantId: string,
  name: string | undefined,
): Promise<ReconciledBackend & { readonly name: string }> {
  const backends = (await context.services.adServers()).backends(tenantId)
  const names = [...(await usedBackends(context, tenantId)).keys()]
  const chosen = name ?? (names.length === 1 ? names[0] : undefined)
  const found = chosen === undefined ? undefined : backends.get(chosen)
  if (found && chosen !== undefined) return { ...found, name: chosen }
  const which = name === undefined ? 'name one of its reconciled ad servers' : `no reconciled ad server "${name}"`
  const there = names.length === 0 ? 'none; sales-agent adservers list shows all' : names.join(', ')
  throw new AdcpError('REFERENCE_NOT_FOUND', `${tenantId}: ${which}; there are: ${there}`, { field: 'ad_server' })
}

import { agentKey } from '../../domain/directory/agent-url.ts'
import type { Tenant } from '../../domain/identity/principal.ts'
import { agentProfile, wordsOf } from '../../domain/registry/agent-profile.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db, Store } from '../../store/database.ts'
import { listTenants, listTenantsAfter } from '../../store/identity/tenants.ts'
import { loadStoredProducts, type StoredProducts } from '../../store/product/products.ts'
import {
  deleteRegistryAgent,
  findRegistryAgent,
  listAgentsOfSource,
  registryAgentId,
  saveRegistryAgent,
} from '../../store/registry/registry-agents.ts'
import type { RegistryAgentRow } from '../../store/registry/rows.ts'
import { newAgentRow } from './probe.ts'
import { announce, profileColumns } from './refresh-agents.ts'

/** What this deployment publishes about itself without credentials. */
export interface OwnAgents {
  /** Public origin of the deployment. */
  readonly origin: string
  /** Names of the tasks that a tenant offers to everybody, and the AdCP protocols that they make up. */
  readonly offerOf: (tenant: Tenant) => Promise<{ readonly tasks: readonly string[]; readonly protocols: readonly string[] }>
}

/** Address under which anonymous callers reach a tenant. */
export function addressOfTenant(origin: string, tenant: Pick<Tenant, 'tenantId' | 'isPublicDefault'>): string {
  return tenant.isPublicDefault ? `${origin}/mcp` : `${origin}/t/${tenant.tenantId}/mcp`
}

const PAGE = 500
/** Tenants of one look: with thousands of them a look is still a fraction of a second, and all have their turn within the hour. */
const TENANTS = 200
/** A tenant is some statements, which SQLite answers without a turn of the event loop; what is new of so many is one commit. */
const TENANTS_A_TURN = 20

/**
 * Keeps the tenants of this deployment in its own registry, by what they would answer themselves; channels are those of their products. A tenant
 * whose products have not changed costs one read. Looks at `most` tenants behind the id `after` and gives the id of the last of them; undefined
 * when there are no more, and only then forgets addresses of before.
 */
export async function listOwnAgents(
  store: Store,
  own: OwnAgents,
  now: Date,
  after = '',
  most = TENANTS,
): Promise<string | undefined> {
  const tenants = await listTenantsAfter(store.read, after, most)
  for (let from = 0; from < tenants.length; from += TENANTS_A_TURN) {
    await yieldToEventLoop()
    const rows: RegistryAgentRow[] = []
    for (const tenant of tenants.slice(from, from + TENANTS_A_TURN)) {
      const row = await changedRow(store, own, tenant, now)
      if (row) rows.push(row)
    }
    if (rows.length > 0) await store.transaction((tx) => saveOwnAgents(tx, rows, now))
  }
  if (tenants.length === most) return tenants.at(-1)?.tenantId
  await forgetFormer(store, own, now)
  return undefined
}

/** What the registry should say of a tenant; undefined when it says so, or when the tenant has no public address. */
async function changedRow(store: Store, own: OwnAgents, tenant: Tenant, now: Date): Promise<RegistryAgentRow | undefined> {
  const url = addressOfTenant(own.origin, tenant)
  const agentUrl = agentKey(url)
  if (agentUrl === undefined) return undefined
  const before = await findRegistryAgent(store.read, registryAgentId(agentUrl))
  const { tasks, protocols } = await own.offerOf(tenant)
  const revision = JSON.stringify([tenant.productsRevision, tenant.domain, tenant.name, tasks.length, protocols])
  if (before?.own_revision === revision) return undefined
  const profile = agentProfile(tasks, { supported_protocols: protocols }, tenant.name, () => true)
  const fresh = newAgentRow(url, { source: 'own', registered_by: null, nextCheckAt: undefined, now })
  if (!profile || !fresh) return undefined
  const { products } = await loadStoredProducts(store.read, tenant.tenantId)
  const channels = wordsOf([...profile.channels, ...products.filter(isPublic).flatMap((product) => product.channels ?? [])])
  const at = now.toISOString()
  return {
    ...fresh,
    ...profileColumns({ ...profile, channels }),
    domain: tenant.domain,
    listed: 1,
    health: 'online',
    checked_at: at,
    last_seen_at: at,
    own_revision: revision,
    added_at: before?.added_at ?? at,
  }
}

async function saveOwnAgents(tx: Db, rows: readonly RegistryAgentRow[], now: Date): Promise<void> {
  for (const row of rows) {
    const known = await findRegistryAgent(tx, row.agent_id)
    await saveRegistryAgent(tx, row)
    await announce(tx, known, row, now, 'registry')
  }
}

/** Takes out what an earlier address of this deployment has left. */
async function forgetFormer(store: Store, own: OwnAgents, now: Date): Promise<void> {
  const tenants = await listTenants(store.read)
  const current = new Set(tenants.map((tenant) => agentKey(addressOfTenant(own.origin, tenant))))
  let after: string | undefined = ''
  while (after !== undefined) {
    const page: readonly RegistryAgentRow[] = await listAgentsOfSource(store.read, 'own', after, PAGE)
    for (const row of page.filter((each) => !current.has(each.agent_url))) {
      await store.transaction(async (tx) => {
        await announce(tx, row, { ...row, listed: 0 }, now, 'registry')
        await deleteRegistryAgent(tx, row.agent_id)
      })
    }
    after = page.length === PAGE ? page.at(-1)?.agent_id : undefined
  }
}

/** What custom products are made of is for those who are offered them. */
function isPublic({ selling }: StoredProducts['products'][number]): boolean {
  return (selling.visibility ?? 'standard') === 'standard' && (selling.status ?? 'active') === 'active'
}

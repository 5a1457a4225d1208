import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Config, publicOrigin } from '../../config/config.ts'
import { insertAccount, type NewAccount } from '../../store/account/accounts.ts'
import { addPrincipal } from '../../store/identity/principals.ts'
import { addTenant, listTenants, saveTenantSettings } from '../../store/identity/tenants.ts'
import { storeName } from '../../store/open.ts'
import { auditedStore } from '../audited-store.ts'
import { checkedValues } from '../check-fields.ts'
import { requireDomain } from '../domain-name.ts'
import { required } from '../fields.ts'
import { ChosenFile } from '../imports/import-fields.ts'
import { issueKey } from '../keys/issue-key.ts'
import type { OperatorContext } from '../operator-context.ts'
import { perform } from '../perform.ts'
import { PUBLISHER_NAME } from '../tenants/present-tenant.ts'

/** A publisher that is ready, and where. `key` is null when no key was made now: an existing one cannot be shown again. */
export interface Initialised {
  readonly data: string
  /** The data folder, or the database in its place. */
  readonly store: string
  readonly tenant: string
  readonly agent_url: string
  readonly key: string | null
}

const DEMO = { tenantId: 'demo', name: 'Harborline Media (demo)', domain: 'harborline.example' }
const EMPTY = { tenantId: 'default', name: 'Publisher', domain: 'publisher.example' }
const demoFile = (name: string) => fileURLToPath(new URL(`../../../demo/${name}`, import.meta.url))

/** Creates a publisher in a store that has none, with `demo` the demo publisher and its buyer. The second time nothing changes. Throws INVALID_REQUEST for what is no domain. */
export async function initialise(
  context: OperatorContext,
  { demo, name, domain }: { readonly demo: boolean; readonly name?: string | undefined; readonly domain?: string | undefined },
): Promise<{ readonly created: boolean; readonly result: Initialised }> {
  const { config } = context
  const place = { data: config.data, store: storeName(config) }
  const agentUrl = `${publicOrigin(config)}/mcp`
  const [existing] = await listTenants(context.store.read)
  if (existing) return { created: false, result: { ...place, tenant: existing.tenantId, agent_url: agentUrl, key: null } }
  const tenant = {
    ...(demo ? DEMO : EMPTY),
    ...(name !== undefined && checkedValues({ name }, { name: required(PUBLISHER_NAME) })),
    ...(domain !== undefined && { domain: requireDomain(domain, 'domain') }),
  }
  const now = context.clock()
  const store = auditedStore(context, { task: 'init', tenant: tenant.tenantId })
  if (!demo) {
    await store.transaction((tx) => addTenant(tx, tenant, now))
    return { created: true, result: { ...place, tenant: tenant.tenantId, agent_url: agentUrl, key: null } }
  }
  const key = await store.transaction(async (tx) => {
    await addTenant(tx, tenant, now)
    await saveTenantSettings(tx, tenant.tenantId, { governanceAgent: true })
    await addPrincipal(
      tx,
      { tenantId: tenant.tenantId, principalId: 'demo-buyer', name: 'Demo buyer', sandbox: true, scopes: ['adcp:*'] },
      now,
    )
    await insertAccount(tx, { tenantId: tenant.tenantId, principalId: 'demo-buyer' }, demoAccount(config), now)
    return issueKey(tx, { tenantId: tenant.tenantId, buyer: 'demo-buyer', scopes: ['adcp:*'], expiresAt: undefined }, now)
  })
  await importDemo(context, tenant.tenantId)
  return { created: true, result: { ...place, tenant: tenant.tenantId, agent_url: agentUrl, key: key.token } }
}

/**
 * The demo buyer's first account, as if it had declared it. With `conformance` it is not listed beside the accounts that a storyboard declares:
 * `pagination_integrity_list_accounts` counts its own.
 */
function demoAccount({ conformance }: Pick<Config, 'conformance'>): NewAccount {
  const names = { brand: { domain: 'demo-brand.example' }, operator: 'demo-agency.example' }
  return {
    key: { brandDomain: names.brand.domain, brandId: undefined, operator: names.operator, sandbox: true },
    status: 'active',
    implicit: conformance,
    document: { name: 'Demo brand (sandbox)', ...names, billing: 'operator', sandbox: true },
  }
}

/** Products, signals and brands of the demo publisher. What reads them is loaded for this one start. */
async function importDemo(context: OperatorContext, tenantId: string): Promise<void> {
  const [{ importProductFile }, { importSignalFile }, { importBrandFile }] = await Promise.all([
    import('../products/import-products.ts'),
    import('../signals/import-signals.ts'),
    import('../brands/import-brands.ts'),
  ])
  const caller = { actor: context.actor, tenantId, role: 'administrator', deployment: true } as const
  const file = (name: string) => ({ name, text: readFileSync(demoFile(name), 'utf8') })
  await perform(context, caller, importProductFile, { file: new ChosenFile(file('products.json')) })
  await perform(context, caller, importSignalFile, { file: new ChosenFile(file('signals.json')) })
  await perform(context, caller, importBrandFile, { file: new ChosenFile(file('brands.json')) })
}

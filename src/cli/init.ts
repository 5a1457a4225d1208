import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { type Config, publicOrigin } from '../config/config.ts'
import { issueKey } from '../operator/keys/issue-key.ts'
import { insertAccount, type NewAccount } from '../store/account/accounts.ts'
import type { Store } from '../store/database.ts'
import { addPrincipal, addTenant, listTenants, saveTenantSettings } from '../store/identity/principals.ts'
import { storeName } from '../store/open.ts'
import { asOperator } from './as-operator.ts'
import { print } from './output.ts'
import { type StoreOptions, withStore, withStoreOptions } from './store.ts'

/** What `init --json` prints. `key` is null when no key was made now: an existing one cannot be shown again. */
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
const demoFile = (name: string) => fileURLToPath(new URL(`../../demo/${name}`, import.meta.url))

interface InitOptions extends StoreOptions {
  readonly demo?: boolean
  readonly json?: boolean
}

/** `sales-agent init`. */
export function initCommand(): Command {
  return withStoreOptions(new Command('init').description('create the store; on an existing one it changes nothing'))
    .option('--demo', 'with a demo publisher, its products and signals, and a sandbox buyer')
    .option('--json')
    .action((options: InitOptions) =>
      withStore(
        options,
        async (store, config) => {
          const { created, result } = await initialise(store, config, options.demo === true)
          print(options.json, result, lines(created, result))
        },
        true,
      ),
    )
}

/** Creates tenant (and demo) in a store that has none. The second time nothing changes. */
export async function initialise(
  store: Store,
  config: Config,
  demo: boolean,
): Promise<{ created: boolean; result: Initialised }> {
  const place = { data: config.data, store: storeName(config) }
  const agentUrl = `${publicOrigin(config)}/mcp`
  const [existing] = await listTenants(store.read)
  if (existing) return { created: false, result: { ...place, tenant: existing.tenantId, agent_url: agentUrl, key: null } }
  const tenant = demo ? DEMO : EMPTY
  const now = new Date()
  const operator = asOperator(store, { task: 'init', tenant: tenant.tenantId })
  if (!demo) {
    await operator.transaction((tx) => addTenant(tx, tenant, now))
    return { created: true, result: { ...place, tenant: tenant.tenantId, agent_url: agentUrl, key: null } }
  }
  const key = await operator.transaction(async (tx) => {
    await addTenant(tx, tenant, now)
    await saveTenantSettings(tx, tenant.tenantId, { governanceAgent: true })
    await addPrincipal(
      tx,
      { tenantId: tenant.tenantId, principalId: 'demo-buyer', name: 'Demo buyer', sandbox: true, scopes: ['adcp:*'] },
      now,
    )
    await insertAccount(tx, { tenantId: tenant.tenantId, principalId: 'demo-buyer' }, demoAccount(config), now)
    return issueKey(tx, { tenantId: tenant.tenantId, principalId: 'demo-buyer', scopes: ['adcp:*'], expiresAt: undefined }, now)
  })
  // Loaded for the one start that fills the store.
  const [{ importProducts }, { importSignalFile }, { importBrandFile }] = await Promise.all([
    import('./products.ts'),
    import('./signals.ts'),
    import('./brands.ts'),
  ])
  await importProducts(store, tenant.tenantId, demoFile('products.json'), { dryRun: false })
  await importSignalFile(store, tenant.tenantId, demoFile('signals.json'), { dryRun: false })
  await importBrandFile(store, tenant.tenantId, demoFile('brands.json'), { dryRun: false })
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

function lines(created: boolean, result: Initialised): readonly string[] {
  if (!created) return [`${result.store} is initialised already (tenant ${result.tenant}); nothing was changed`]
  return [
    `created ${result.store} with tenant ${result.tenant}`,
    ...(result.key === null ? [] : ['demo buyer key, shown this once:', '', `  ${result.key}`, '']),
    `serve it: sales-agent serve --data ${result.data}`,
  ]
}

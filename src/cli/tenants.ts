import { Command, Option } from 'commander'
import type { SigningProfileName, TenantSettings } from '../auth/principals.ts'
import { AdcpError } from '../errors.ts'
import { addTenant, findTenant, listTenants, saveTenantSettings } from '../store/principals.ts'
import { print, table } from './output.ts'
import { chooseTenant, type StoreOptions, withStore, withStoreOptions } from './store.ts'

interface TenantOptions extends StoreOptions {
  readonly name?: string
  readonly domain?: string
  readonly signingProfile?: SigningProfileName | 'default'
  readonly verifyOperators?: 'on' | 'off'
  readonly json?: boolean
}

/** Ids appear in paths (`/t/{tenant}/mcp`). */
const ID = /^[a-z0-9][a-z0-9-]{0,63}$/

/** `sales-agent tenants add|list|set`. */
export function tenantsCommand(): Command {
  const tenants = new Command('tenants').description('publishers served by this deployment')
  withStoreOptions(tenants.command('add <id>').description('add a publisher'))
    .option('--name <name>', 'name shown to people')
    .requiredOption('--domain <domain>', 'the publisher’s domain')
    .option('--json')
    .action((id: string, options: TenantOptions) =>
      withStore(options, async (store) => {
        if (!ID.test(id)) throw new AdcpError('INVALID_REQUEST', 'an id has 1–64 of a–z, 0–9 and -', { field: 'id' })
        const tenant = await store.transaction((tx) =>
          addTenant(tx, { tenantId: id, name: options.name ?? id, domain: options.domain ?? '' }, new Date()),
        )
        print(options.json, tenant, [
          `tenant ${tenant.tenantId} (${tenant.domain})${tenant.isPublicDefault ? ', default of public calls' : ''}`,
        ])
      }),
    )
  withStoreOptions(tenants.command('list').description('list the publishers'))
    .option('--json')
    .action((options: TenantOptions) =>
      withStore(options, async (store) => {
        const rows = await listTenants(store.read)
        print(
          options.json,
          { tenants: rows },
          table(
            ['TENANT', 'NAME', 'DOMAIN', 'PUBLIC DEFAULT'],
            rows.map((row) => [row.tenantId, row.name, row.domain, row.isPublicDefault ? 'yes' : '']),
          ),
        )
      }),
    )
  withStoreOptions(tenants.command('set <id>').description('change the policy of a publisher'))
    .addOption(
      new Option('--signing-profile <profile>', 'rules for unsigned changes; default: those of the deployment').choices([
        '3.0',
        '3.1',
        'default',
      ]),
    )
    .addOption(
      new Option('--verify-operators <switch>', 'accounts wait for approval unless brand.json lists their operator').choices([
        'on',
        'off',
      ]),
    )
    .option('--json')
    .action((id: string, options: TenantOptions) =>
      withStore(options, async (store) => {
        const tenantId = await chooseTenant(store, id)
        const settings = await store.transaction(async (tx) => {
          const changed = changedSettings((await findTenant(tx, tenantId))?.settings ?? {}, options)
          await saveTenantSettings(tx, tenantId, changed)
          return changed
        })
        print(options.json, { tenant: tenantId, settings }, [`policy of ${tenantId}: ${JSON.stringify(settings)}`])
      }),
    )
  return tenants
}

function changedSettings(settings: TenantSettings, { signingProfile, verifyOperators }: TenantOptions): TenantSettings {
  const { signingProfile: profile, ...others } = settings
  const chosen = signingProfile === 'default' ? undefined : (signingProfile ?? profile)
  return {
    ...others,
    ...(chosen !== undefined && { signingProfile: chosen }),
    ...(verifyOperators !== undefined && { verifyOperators: verifyOperators === 'on' }),
  }
}

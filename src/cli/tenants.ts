import { Command, Option } from 'commander'
import { readLimit } from '../operator/amount.ts'
import { BILLING_PARTIES } from '../operator/billing-parties.ts'
import { chooseTenant } from '../operator/choose-tenant.ts'
import { addTenant } from '../operator/tenants/add-tenant.ts'
import { listTenants } from '../operator/tenants/list-tenants.ts'
import { removeTenant } from '../operator/tenants/remove-tenant.ts'
import { setTenant, type TenantChange } from '../operator/tenants/set-tenant.ts'
import { confirm } from './confirm.ts'
import { operate } from './operate.ts'
import { print, printList, table } from './output.ts'
import { type StoreOptions, withStoreOptions } from './store-options.ts'
import { settingLines } from './tenant-lines.ts'

interface TenantOptions extends StoreOptions {
  readonly name?: string
  readonly domain?: string
  readonly public?: boolean
  readonly yes?: boolean
  readonly signingProfile?: NonNullable<TenantChange['signingProfile']>
  readonly verifyOperators?: 'on' | 'off'
  readonly governanceAgent?: 'on' | 'off'
  readonly approvalAbove?: string
  readonly billing?: string
  readonly releases?: string
  readonly timeZone?: string
  readonly currency?: string
  readonly json?: boolean
}

/** `sales-agent tenants add|list|set|remove`. */
export function tenantsCommand(): Command {
  const tenants = new Command('tenants')
  withStoreOptions(tenants.command('add <id>').description('add a publisher'))
    .option('--name <name>', 'name shown to people')
    .requiredOption('--domain <domain>', 'the publisher’s domain')
    .option('--json')
    .action((id: string, options: TenantOptions) =>
      operate(options, async (operator) => {
        const tenant = await addTenant(operator, { tenantId: id, name: options.name, domain: options.domain ?? '' })
        print(options.json, tenant, [
          `tenant ${tenant.tenant} (${tenant.domain})${tenant.public_default ? ', default of public calls' : ''}`,
        ])
      }),
    )
  withStoreOptions(tenants.command('list').description('list the publishers'))
    .option('--json')
    .action((options: TenantOptions) =>
      operate(options, async (operator) => {
        const tenants = await listTenants(operator)
        const rows = tenants.map((each) => [each.tenant, each.name, each.domain, each.public_default ? 'yes' : ''])
        printList(options.json, tenants, table(['TENANT', 'NAME', 'DOMAIN', 'PUBLIC DEFAULT'], rows))
      }),
    )
  withStoreOptions(tenants.command('set <id>').description('change a publisher, or its policy'))
    .option('--name <name>', 'name shown to people')
    .option('--domain <domain>', 'the publisher’s domain')
    .option('--public', 'answer calls that name no publisher')
    .addOption(
      new Option('--signing-profile <profile>', 'rules for unsigned changes; default: those of the deployment').choices([
        '3.0',
        '3.1',
        '3.2',
        'default',
      ]),
    )
    .addOption(
      new Option('--verify-operators <switch>', 'accounts wait for approval unless brand.json lists their operator').choices([
        'on',
        'off',
      ]),
    )
    .addOption(
      new Option(
        '--governance-agent <switch>',
        'keep plans of buyers and decide on their spending, as their governance agent',
      ).choices(['on', 'off']),
    )
    .option('--approval-above <amount>', 'buys with a larger total budget, in any currency, wait for your approval; or never')
    .option('--billing <list>', `who may be billed: ${BILLING_PARTIES.join(', ')}; or all`)
    .option('--releases <list>', 'releases of AdCP that buyers may name, e.g. 3.0,3.1; or all')
    .option('--time-zone <zone>', 'its days, months and dayparts: an IANA name such as Europe/Berlin, or default')
    .option('--currency <code>', 'what it plans and closes months in: an ISO 4217 code such as EUR, or default')
    .option('--json')
    .action((id: string, options: TenantOptions) =>
      operate(options, async (operator) => {
        const tenantId = await chooseTenant(operator, id)
        const settings = await setTenant(operator, tenantId, changeOf(options))
        print(options.json, { tenant: tenantId, settings }, settingLines(tenantId, settings))
      }),
    )
  withStoreOptions(
    tenants.command('remove <id>').description('remove a publisher and all of it but its audit log; refused while orders run'),
  )
    .option('--yes', 'do not ask')
    .option('--json')
    .action((id: string, options: TenantOptions) =>
      operate(options, async (operator) => {
        if (!options.yes) await confirm(`Remove ${id} with its products, buyers, keys, orders and creatives?`)
        await removeTenant(operator, id)
        print(options.json, { tenant: id, removed: true }, [`removed ${id}; its audit log is still there`])
      }),
    )
  return tenants
}

function changeOf({
  name,
  domain,
  public: isPublic,
  signingProfile,
  verifyOperators,
  governanceAgent,
  approvalAbove,
  billing,
  releases,
  timeZone,
  currency,
}: TenantOptions): TenantChange {
  return {
    ...(name !== undefined && { name }),
    ...(domain !== undefined && { domain }),
    ...(isPublic && { isPublicDefault: true as const }),
    ...(signingProfile !== undefined && { signingProfile }),
    ...(verifyOperators !== undefined && { verifyOperators: verifyOperators === 'on' }),
    ...(governanceAgent !== undefined && { governanceAgent: governanceAgent === 'on' }),
    ...(approvalAbove !== undefined && { approvalAboveMicros: readLimit(approvalAbove, 'approval-above', 'never') }),
    ...(billing !== undefined && { billing: billing === 'all' ? billing : billing.split(',').map((party) => party.trim()) }),
    ...(releases !== undefined && { releases: releases === 'all' ? releases : releases.split(',').map((line) => line.trim()) }),
    ...(timeZone !== undefined && { timeZone }),
    ...(currency !== undefined && { currency }),
  }
}

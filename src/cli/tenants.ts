import { Command, Option } from 'commander'
import type { SigningProfileName, Tenant, TenantSettings } from '../domain/identity/principal.ts'
import { microsToAmount, priceToMicros } from '../domain/money.ts'
import { AdcpError } from '../protocol/errors.ts'

import { addTenant, findTenant, listTenants, saveTenantSettings } from '../store/identity/principals.ts'
import { asOperator } from './as-operator.ts'
import { print, table } from './output.ts'
import { chooseTenant, type StoreOptions, withStore, withStoreOptions } from './store.ts'

interface TenantOptions extends StoreOptions {
  readonly name?: string
  readonly domain?: string
  readonly signingProfile?: SigningProfileName | 'default'
  readonly verifyOperators?: 'on' | 'off'
  readonly governanceAgent?: 'on' | 'off'
  readonly approvalAbove?: string
  readonly billing?: string
  readonly json?: boolean
}

/** Parties of AdCP enums/billing-party. */
const BILLING = ['operator', 'agent', 'advertiser'] as const

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
        const tenant = await asOperator(store, { task: 'tenants.add', tenant: id }).transaction((tx) =>
          addTenant(tx, { tenantId: id, name: options.name ?? id, domain: options.domain ?? '' }, new Date()),
        )
        print(options.json, describeTenant(tenant), [
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
          { tenants: rows.map(describeTenant) },
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
    .option('--billing <list>', `who may be billed: ${BILLING.join(', ')}; or all`)
    .option('--json')
    .action((id: string, options: TenantOptions) =>
      withStore(options, async (store) => {
        const tenantId = await chooseTenant(store, id)
        const settings = await asOperator(store, { task: 'tenants.set', tenant: tenantId }).transaction(async (tx) => {
          const changed = changedSettings((await findTenant(tx, tenantId))?.settings ?? {}, options)
          await saveTenantSettings(tx, tenantId, changed)
          return changed
        })
        print(options.json, { tenant: tenantId, settings: describeSettings(settings) }, [
          `policy of ${tenantId}: ${JSON.stringify(describeSettings(settings))}`,
        ])
      }),
    )
  return tenants
}

function describeTenant({ tenantId, name, domain, isPublicDefault, settings }: Tenant) {
  return { tenant: tenantId, name, domain, public_default: isPublicDefault, settings: describeSettings(settings) }
}

function describeSettings({ approvalAboveMicros: limit, ...settings }: TenantSettings) {
  return {
    signing_profile: settings.signingProfile ?? 'default',
    verify_operators: settings.verifyOperators === true,
    governance_agent: settings.governanceAgent === true,
    approval_above: limit === undefined ? null : microsToAmount(limit),
    billing: settings.billing ?? BILLING,
    creative_review: settings.creativeReview ?? 'automatic',
  }
}

function changedSettings(settings: TenantSettings, options: TenantOptions): TenantSettings {
  const { signingProfile, approvalAboveMicros, billing, ...others } = settings
  const { verifyOperators, governanceAgent } = options
  const profile = options.signingProfile === 'default' ? undefined : (options.signingProfile ?? signingProfile)
  const limit = options.approvalAbove === undefined ? approvalAboveMicros : limitOf(options.approvalAbove)
  const parties = options.billing === undefined ? billing : billingOf(options.billing)
  return {
    ...others,
    ...(profile !== undefined && { signingProfile: profile }),
    ...(verifyOperators !== undefined && { verifyOperators: verifyOperators === 'on' }),
    ...(governanceAgent !== undefined && { governanceAgent: governanceAgent === 'on' }),
    ...(limit !== undefined && { approvalAboveMicros: limit }),
    ...(parties !== undefined && { billing: parties }),
  }
}

function limitOf(text: string): number | undefined {
  if (text === 'never') return undefined
  const amount = text.trim() === '' ? Number.NaN : Number(text)
  if (!(amount >= 0))
    throw new AdcpError('INVALID_REQUEST', `"${text}" is neither an amount nor "never"`, { field: 'approval-above' })
  return priceToMicros(amount, 'approval-above')
}

function billingOf(text: string): TenantSettings['billing'] {
  if (text === 'all') return undefined
  const named = text.split(',').map((party) => party.trim())
  const wrong = named.find((party) => !BILLING.some((known) => known === party))
  if (wrong !== undefined)
    throw new AdcpError('INVALID_REQUEST', `"${wrong}" pays no bills; there are ${BILLING.join(', ')}`, { field: 'billing' })
  return BILLING.filter((party) => named.includes(party))
}

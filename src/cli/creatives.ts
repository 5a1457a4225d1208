import { Argument, Command, Option } from 'commander'
import type { CreativeStatus } from '../domain/creative/creative.ts'
import { TRANSITIONS } from '../domain/creative/lifecycle.ts'
import { listCreativesInStatus } from '../store/creative/creatives.ts'
import { findTenant, saveTenantSettings } from '../store/identity/principals.ts'
import { decideCreative } from '../tasks/creative/decide-creative.ts'
import { asOperator } from './as-operator.ts'
import { print, table } from './output.ts'
import { chooseTenant, type StoreOptions, withStore, withStoreOptions } from './store.ts'

interface Options extends StoreOptions {
  readonly tenant?: string
  readonly principal?: string
  readonly account?: string
  readonly status?: CreativeStatus
  readonly reason?: string
  readonly json?: boolean
}

/** More than a person looks at in one sitting. */
const MAX_LISTED = 500

/** `sales-agent creatives list|approve|reject|review`: what buyers uploaded and a person has to look at. */
export function creativesCommand(): Command {
  const creatives = new Command('creatives').description('creatives of your buyers and their review')
  withStoreOptions(creatives.command('list').description('show creatives, those that wait longest first'))
    .option('--tenant <id>')
    .addOption(new Option('--status <status>').choices(Object.keys(TRANSITIONS)).default('pending_review'))
    .option('--json')
    .action((options: Options) =>
      withStore(options, async (store) => {
        const tenantId = await chooseTenant(store, options.tenant)
        const found = await listCreativesInStatus(store.read, tenantId, options.status ?? 'pending_review', MAX_LISTED)
        const rows = found.map(({ principalId, creative }) => ({
          creative_id: creative.creativeId,
          principal: principalId,
          account: creative.accountId,
          name: creative.content.name,
          format: creative.content.formatId.id,
          status: creative.status,
          ...(creative.statusReason !== undefined && { reason: creative.statusReason }),
          updated_at: creative.updatedAt,
        }))
        const cells = rows.map((row) => [row.creative_id, row.principal, row.account, row.format, row.reason ?? ''])
        print(options.json, rows, table(['creative', 'agent', 'account', 'format', 'why'], cells))
      }),
    )
  creatives.addCommand(decision('approve', 'approved', 'let a creative run'))
  creatives.addCommand(decision('reject', 'rejected', 'refuse a creative; it stops serving'))
  withStoreOptions(creatives.command('review').description('who reviews new creatives'))
    .addArgument(new Argument('<mode>', 'automatic: the rules of this server; manual: you').choices(['automatic', 'manual']))
    .option('--tenant <id>')
    .option('--json')
    .action((mode: 'automatic' | 'manual', options: Options) =>
      withStore(options, async (store) => {
        const tenantId = await chooseTenant(store, options.tenant)
        await asOperator(store, { task: 'creatives.review', tenant: tenantId, subject: mode }).transaction(async (tx) => {
          const settings = (await findTenant(tx, tenantId))?.settings ?? {}
          await saveTenantSettings(tx, tenantId, { ...settings, creativeReview: mode })
        })
        print(options.json, { tenant: tenantId, creative_review: mode }, [`creatives of ${tenantId}: ${mode} review`])
      }),
    )
  return creatives
}

function decision(name: string, status: 'approved' | 'rejected', description: string): Command {
  return withStoreOptions(new Command(name).argument('<creative>').description(description))
    .option('--tenant <id>')
    .requiredOption('--principal <id>', 'the agent that uploaded it')
    .option('--account <id>', 'when the agent has creatives of this id in several accounts')
    .option('--reason <text>', 'what the buyer is told')
    .option('--json')
    .action((creativeId: string, options: Options) =>
      withStore(options, async (store) => {
        const tenantId = await chooseTenant(store, options.tenant)
        const named = { tenantId, principalId: options.principal ?? '', accountId: options.account, creativeId }
        const operator = asOperator(store, { task: `creatives.${name}`, tenant: tenantId, subject: creativeId })
        const decided = await decideCreative(operator, named, status, options.reason, new Date())
        print(options.json, { creative_id: creativeId, status: decided.status }, [`creative ${creativeId} is ${decided.status}`])
      }),
    )
}

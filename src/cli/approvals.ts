import { Command } from 'commander'
import { createSimulator } from '../ad-serving/simulator/simulator.ts'
import { type Config, publicOrigin } from '../config/config.ts'
import { loadContracts } from '../protocol/contracts.ts'
import { currentSources } from '../protocol/present-sources.ts'
import type { Store } from '../store/database.ts'
import { createCatalogueCache } from '../store/product/catalogue-cache.ts'
import type { ApprovalServices } from '../tasks/approvals/carry-out.ts'
import { askBuyer } from '../tasks/approvals/decide.ts'
import { decideEntry, listQueue, type QueueEntry, showTask, taskIdOf } from '../tasks/approvals/queue.ts'
import { approvalPolicyCommand } from './approval-policy.ts'
import { asOperator } from './as-operator.ts'
import { brandsOf } from './brand-store.ts'
import { governanceOf } from './governance-of.ts'
import { print, table } from './output.ts'
import { chooseTenant, type StoreOptions, withStore, withStoreOptions } from './store.ts'

interface Options extends StoreOptions {
  readonly tenant?: string
  readonly reason?: string
  readonly condition?: readonly string[]
  readonly json?: boolean
}

/** `sales-agent approvals list|show|approve|reject|ask|policy`: everything of buyers that waits for a person at the publisher. */
export function approvalsCommand(): Command {
  const approvals = new Command('approvals').description('orders, changes, creatives and accounts that wait for your approval')
  approvals.addCommand(listCommand())
  approvals.addCommand(showCommand())
  withStoreOptions(approvals.command('approve <id>').description('carry it out and complete its task'))
    .option('--tenant <id>')
    .option('--condition <text>', 'what the buyer is told it depends on; may be repeated', collect, [])
    .option('--json')
    .action((id: string, options: Options) =>
      withStore(options, async (store, config) => {
        const verdict = { approve: true, conditions: options.condition ?? [] } as const
        const tenantId = await tenantOf(store, options)
        const operator = asOperator(store, { task: 'approvals.approve', tenant: tenantId, subject: id })
        report(options, id, await decideEntry(services(operator, config), tenantId, id, verdict, new Date()))
      }),
    )
  withStoreOptions(approvals.command('reject <id>').description('decline it'))
    .option('--tenant <id>')
    .option('--reason <text>', 'what the buyer is told', 'Declined by the seller')
    .option('--json')
    .action((id: string, options: Options) =>
      withStore(options, async (store, config) => {
        const verdict = { approve: false, reason: options.reason ?? '' } as const
        const tenantId = await tenantOf(store, options)
        const operator = asOperator(store, { task: 'approvals.reject', tenant: tenantId, subject: id })
        report(options, id, await decideEntry(services(operator, config), tenantId, id, verdict, new Date()))
      }),
    )
  withStoreOptions(approvals.command('ask <id>').description('send a task back to the buyer, who has to answer first'))
    .option('--tenant <id>')
    .requiredOption('--reason <text>', 'what the buyer has to do')
    .option('--json')
    .action((id: string, options: Options) =>
      withStore(options, async (store) => {
        const tenantId = await tenantOf(store, options)
        const operator = asOperator(store, { task: 'approvals.ask', tenant: tenantId, subject: id })
        report(options, id, await askBuyer(operator, tenantId, taskIdOf(id), options.reason ?? '', new Date()))
      }),
    )
  return approvals.addCommand(approvalPolicyCommand())
}

function listCommand(): Command {
  return withStoreOptions(new Command('list').description('show what waits, oldest first'))
    .option('--tenant <id>')
    .option('--json')
    .action((options: Options) =>
      withStore(options, async (store) => {
        const queue = await listQueue(store.read, await tenantOf(store, options))
        const rows = queue.map((entry) => [entry.id, entry.task, entry.principal, summaryText(entry), entry.reason, entry.state])
        print(options.json, queue.map(present), table(['id', 'what', 'agent', 'about', 'why', 'state'], rows))
      }),
    )
}

function showCommand(): Command {
  return withStoreOptions(
    new Command('show').argument('<id>').description('show a task that waits or was decided, with all it is about'),
  )
    .option('--tenant <id>')
    .option('--json')
    .action((id: string, options: Options) =>
      withStore(options, async (store) => {
        const { approval, ...entry } = await showTask(store.read, await tenantOf(store, options), taskIdOf(id))
        const { conditions, note, decidedAt } = approval
        const shown = {
          ...present(entry),
          conditions,
          ...(note !== undefined && { note }),
          ...(decidedAt !== undefined && { decided_at: decidedAt }),
          document: JSON.parse(approval.document),
        }
        print(options.json, shown, [JSON.stringify(shown, undefined, 2)])
      }),
    )
}

function report(
  { json }: Options,
  id: string,
  outcome: { status: string; message?: string | undefined; result?: object | undefined },
) {
  const { status, message, result } = outcome
  const said = message === undefined ? '' : `: ${message}`
  print(json, { task_id: id, status, ...(message !== undefined && { message }), ...(result && { result }) }, [
    `${id} is ${status}${said}`,
  ])
}

function present(entry: QueueEntry) {
  const { id, kind, task, principal, account, state, reason, since, expiresAt, summary } = entry
  return {
    id,
    kind,
    ...(kind === 'task' && { task_id: id }),
    task,
    principal,
    account,
    state,
    reason,
    ...(since !== '' && { since }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    ...summary,
  }
}

function summaryText({ summary }: QueueEntry): string {
  const { budget, currency, products, name, media_buy_id: buy } = summary
  const money = typeof budget === 'number' && typeof currency === 'string' ? `${budget} ${currency}` : ''
  const things = Array.isArray(products) ? products.join(', ') : ''
  return [buy, money, things, name].filter((part) => typeof part === 'string' && part !== '').join(' · ')
}

function services(store: Store, config: Config): ApprovalServices {
  const agentUrl = `${publicOrigin(config)}/mcp`
  const catalogue = createCatalogueCache(agentUrl)
  const governance = governanceOf(store, config, { agentUrl, catalogue })
  return {
    store,
    contracts: loadContracts(currentSources(config.data)),
    adServer: createSimulator(),
    catalogue,
    wiring: { agentUrl, conformance: config.conformance },
    governance,
    brands: brandsOf(store, config),
  }
}

function tenantOf(store: Store, { tenant }: Options): Promise<string> {
  return chooseTenant(store, tenant)
}

function collect(text: string, all: readonly string[]): readonly string[] {
  return [...all, text]
}

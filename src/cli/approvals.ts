import { Command } from 'commander'
import { approve, ask, type Decided, reject } from '../operator/approvals/decide-approval.ts'
import { listApprovals, type QueueEntry, showApproval } from '../operator/approvals/list-approvals.ts'
import { presentEntry, presentTask } from '../operator/approvals/present-approval.ts'
import { approvalPolicyCommand } from './approval-policy.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print, printList, table } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface Options extends TenantOption {
  readonly reason?: string
  readonly condition?: readonly string[]
  readonly json?: boolean
}

/** `sales-agent approvals list|show|approve|reject|ask|policy`: everything of buyers that needs the publisher's approval. */
export function approvalsCommand(): Command {
  const approvals = new Command('approvals')
  approvals.addCommand(listCommand())
  approvals.addCommand(showCommand())
  withStoreOptions(approvals.command('approve <id>').description('carry it out and complete its task'))
    .option('--tenant <id>')
    .option('--condition <text>', 'a condition that the buyer reads; may be repeated', collect, [])
    .option('--json')
    .action((id: string, options: Options) =>
      operateFor(options, async (operator, tenantId) => {
        report(options, id, await approve(operator, { tenantId, id, conditions: options.condition ?? [] }))
      }),
    )
  withStoreOptions(approvals.command('reject <id>').description('decline it'))
    .option('--tenant <id>')
    .option('--reason <text>', 'the reason that the buyer reads', 'Declined by the seller')
    .option('--json')
    .action((id: string, options: Options) =>
      operateFor(options, async (operator, tenantId) => {
        report(options, id, await reject(operator, { tenantId, id, reason: options.reason ?? '' }))
      }),
    )
  withStoreOptions(approvals.command('ask <id>').description('send a task back to the buyer, who has to answer first'))
    .option('--tenant <id>')
    .requiredOption('--reason <text>', 'what the buyer has to do')
    .option('--json')
    .action((id: string, options: Options) =>
      operateFor(options, async (operator, tenantId) => {
        report(options, id, await ask(operator, { tenantId, id, question: options.reason ?? '' }))
      }),
    )
  return approvals.addCommand(approvalPolicyCommand())
}

function listCommand(): Command {
  return withStoreOptions(new Command('list').description('show pending approvals, oldest first'))
    .option('--tenant <id>')
    .option('--json')
    .action((options: Options) =>
      operateFor(options, async (operator, tenantId) => {
        const queue = await listApprovals(operator, tenantId)
        const rows = queue.map((entry) => [entry.id, entry.task, entry.principal, summaryText(entry), entry.reason, entry.state])
        printList(options.json, queue.map(presentEntry), table(['id', 'what', 'agent', 'about', 'why', 'state'], rows))
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
      operateFor(options, async (operator, tenantId) => {
        const shown = presentTask(await showApproval(operator, tenantId, id))
        print(options.json, shown, [JSON.stringify(shown, undefined, 2)])
      }),
    )
}

function report({ json }: Options, id: string, { status, message, result }: Decided) {
  const said = message === undefined ? '' : `: ${message}`
  print(json, { task_id: id, status, ...(message !== undefined && { message }), ...(result && { result }) }, [
    `${id} is ${status}${said}`,
  ])
}

function summaryText({ summary }: QueueEntry): string {
  const { budget, currency, products, name, media_buy_id: buy } = summary
  const money = typeof budget === 'number' && typeof currency === 'string' ? `${budget} ${currency}` : ''
  const things = Array.isArray(products) ? products.join(', ') : ''
  return [buy, money, things, name].filter((part) => typeof part === 'string' && part !== '').join(' · ')
}

function collect(text: string, all: readonly string[]): readonly string[] {
  return [...all, text]
}

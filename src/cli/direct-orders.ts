import { Command } from 'commander'
import { differenceText } from '../ad-serving/house/direct-difference.ts'
import { amountText } from '../operator/amount.ts'
import {
  changeDirectOrder,
  listDirectOrders,
  type ShownDirectOrder,
  showDirectOrder,
} from '../operator/direct-orders/direct-orders.ts'
import {
  type DirectOrderConsequences,
  enterDirectOrder,
  previewDirectOrder,
} from '../operator/direct-orders/enter-direct-order.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print, printList, table } from './output.ts'
import { readCount } from './read-count.ts'
import { readImportFile } from './read-import-file.ts'
import { withStoreOptions } from './store-options.ts'

interface Options extends TenantOption {
  readonly json?: boolean
  readonly after?: string
}

interface PutOptions extends Options {
  readonly revision?: string
  readonly dryRun?: boolean
}

interface ShowOptions extends Options {
  readonly document?: boolean
}

/** `sales-agent direct-orders put|list|show|pause|resume|end`: what the publisher's people sold themselves, and house ads. */
export function directOrdersCommand(): Command {
  const group = new Command('direct-orders')
  const command = (name: string, description: string) =>
    withStoreOptions(group.command(name).description(description)).option('--tenant <id>').option('--json')
  command('put <file>', 'enter an order from a JSON file (schemas/direct-order.json), or change the one of the same id')
    .option('--revision <number>', 'only when the order is still at this revision; 0: only when there is no such order')
    .option('--dry-run', 'show what would change')
    .action((path: string, options: PutOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const file = await readImportFile(path)
        const revision = options.revision === undefined ? undefined : readCount(options.revision, 'revision')
        if (!options.dryRun) return printOrder(options, await enterDirectOrder(operator, tenantId, file, revision))
        const consequences = await previewDirectOrder(operator, tenantId, file, revision)
        print(options.json, consequences, consequenceLines(consequences))
      }),
    )
  command('list', 'list direct orders')
    .option('--after <order>', 'next page')
    .action((options: Options) =>
      operateFor(options, async (operator, tenantId) => {
        const page = await listDirectOrders(operator, tenantId, options.after)
        const cells = page.orders.map((order) => [order.order_id, order.state, order.advertiser, order.name])
        printList(options.json, page.orders, table(['ID', 'STATE', 'ADVERTISER', 'NAME'], cells), page.next ?? null)
      }),
    )
  command('show <order>', 'show a direct order and what its lines delivered')
    .option('--document', 'print the order as put takes it, to change it')
    .action((orderId: string, options: ShowOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const order = await showDirectOrder(operator, tenantId, orderId)
        if (options.document) print(true, order.document, [])
        else printOrder(options, order)
      }),
    )
  const change = (name: string, state: 'paused' | 'active' | 'ended', description: string) =>
    command(`${name} <order>`, description).action((orderId: string, options: Options) =>
      operateFor(options, async (operator, tenantId) =>
        printOrder(options, await changeDirectOrder(operator, tenantId, orderId, state)),
      ),
    )
  change('pause', 'paused', 'stop serving it until it is resumed')
  change('resume', 'active', 'serve it again')
  change('end', 'ended', 'end it for good, and free what it holds of the inventory')
  return group
}

function printOrder({ json }: Options, order: ShownDirectOrder): void {
  const cells = order.lines.map((line) => [
    line.line_id,
    line.state,
    line.priority,
    `${line.starts_at.slice(0, 10)} – ${line.ends_at.slice(0, 10)}`,
    `${line.impressions}${line.goal === null ? '' : ` of ${line.goal}`}`,
    String(line.charged),
  ])
  const head = `${order.order_id} (${order.state}): ${order.name}, ${order.advertiser}, ${order.currency}, revision ${order.revision}`
  print(json, order, [head, ...table(['LINE', 'STATE', 'PRIORITY', 'FLIGHT', 'IMPRESSIONS', 'CHARGED'], cells)])
}

function consequenceLines({ order_id: id, revision, changed, ...what }: DirectOrderConsequences): string[] {
  if (!changed) return [`${id}: nothing would change`]
  const money = (amount: number | null) =>
    amount === null ? 'not limited' : `${amountText(amount, what.currency)} ${what.currency}`
  const budget = revision === 0 ? money(what.budget_after) : `${money(what.budget_before)} → ${money(what.budget_after)}`
  return [
    revision === 0 ? `${id}: would be entered` : `${id}, revision ${revision}:`,
    ...what.differences.map((difference) => `  ${differenceText(difference)}`),
    `budget: ${budget}`,
    ...what.held.map(({ product_id: product, impressions }) =>
      impressions < 0
        ? `${-impressions} impressions of ${product} become free`
        : `${impressions} more impressions of ${product} are held`,
    ),
    ...what.warnings,
  ]
}

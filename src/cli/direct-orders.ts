import { Command } from 'commander'
import {
  changeDirectOrder,
  enterDirectOrder,
  listDirectOrders,
  showDirectOrder,
} from '../operator/direct-orders/direct-orders.ts'
import { readImportFile } from './import-commands.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print, printList, table } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface Options extends TenantOption {
  readonly json?: boolean
  readonly after?: string
}

type Shown = Awaited<ReturnType<typeof showDirectOrder>>

/** `sales-agent direct-orders put|list|show|pause|resume|end`: what the publisher's people sold themselves, and house ads. */
export function directOrdersCommand(): Command {
  const group = new Command('direct-orders')
  const command = (name: string, description: string) =>
    withStoreOptions(group.command(name).description(description)).option('--tenant <id>').option('--json')
  command('put <file>', 'enter an order from a JSON file (schemas/direct-order.json), or change the one of the same id').action(
    (path: string, options: Options) =>
      operateFor(options, async (operator, tenantId) =>
        printOrder(options, await enterDirectOrder(operator, tenantId, await readImportFile(path))),
      ),
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
  command('show <order>', 'show a direct order and what its lines delivered').action((orderId: string, options: Options) =>
    operateFor(options, async (operator, tenantId) => printOrder(options, await showDirectOrder(operator, tenantId, orderId))),
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

function printOrder({ json }: Options, order: Shown): void {
  const cells = order.lines.map((line) => [
    line.line_id,
    line.state,
    line.priority,
    `${line.starts_at.slice(0, 10)} – ${line.ends_at.slice(0, 10)}`,
    `${line.impressions}${line.goal === null ? '' : ` of ${line.goal}`}`,
    String(line.charged),
  ])
  const head = `${order.order_id} (${order.state}): ${order.name}, ${order.advertiser}, ${order.currency}`
  print(json, order, [head, ...table(['LINE', 'STATE', 'PRIORITY', 'FLIGHT', 'IMPRESSIONS', 'CHARGED'], cells)])
}

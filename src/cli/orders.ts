import { Command, Option } from 'commander'
import { amountText } from '../operator/amount.ts'
import type { OperatorContext } from '../operator/operator-context.ts'
import {
  type ChangedOrder,
  cancelOrder,
  extendOrder,
  type OrderAction,
  type OrderConsequences,
  pauseOrder,
  previewOrderChange,
  resumeOrder,
} from '../operator/orders/change-order.ts'
import { listOrders, ORDER_SORTS, ORDER_STATUSES, type OrderQuery, type OrderRow } from '../operator/orders/list-orders.ts'
import { orderHistory, type ShownOrder, showOrder } from '../operator/orders/show-order.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { percent, print, printList, table, withMore } from './output.ts'
import { readCount } from './read-count.ts'
import { withStoreOptions } from './store-options.ts'

interface ListOptions extends TenantOption {
  readonly status?: string
  readonly buyer?: string
  readonly account?: string
  readonly product?: string
  readonly search?: string
  readonly sort?: OrderQuery['sort']
  readonly ascending?: boolean
  readonly cursor?: string
  readonly limit?: string
  readonly json?: boolean
}

interface ChangeOptions extends TenantOption {
  readonly package?: readonly string[]
  readonly reason?: string
  readonly end?: string
  readonly revision?: string
  readonly dryRun?: boolean
  readonly json?: boolean
}

/** `sales-agent orders list|show|history|pause|resume|extend|cancel`: media buys of all buyers of a publisher. */
export function ordersCommand(): Command {
  const orders = new Command('orders')
  orders.addCommand(listCommand())
  addShow(orders)
  addHistory(orders)
  addChange(orders, 'pause', 'stop its delivery until it is resumed').option(
    '--package <id>',
    'only this package; may be repeated',
    collect,
    [],
  )
  addChange(orders, 'resume', 'deliver it again').option('--package <id>', 'only this package; may be repeated', collect, [])
  addChange(orders, 'extend', 'move the end of its flight, at the same budget').requiredOption(
    '--end <time>',
    'new end, ISO 8601',
  )
  addChange(orders, 'cancel', 'end it for good and free its reserved inventory')
  return orders
}

function listCommand(): Command {
  return withStoreOptions(new Command('list').description('orders, newest first'))
    .option('--tenant <id>')
    .option('--status <list>', `comma-separated: ${ORDER_STATUSES.join(', ')}`)
    .option('--buyer <principal>', 'of one agent')
    .option('--account <id>', 'of one account')
    .option('--product <id>', 'with this product')
    .option('--search <words>', 'parts of ids, buyer, advertiser, purchase order, product')
    .addOption(
      new Option('--sort <column>', 'what the orders are sorted by').choices(Object.keys(ORDER_SORTS)).default('created'),
    )
    .option('--ascending', 'oldest, earliest or smallest first')
    .option('--limit <number>', 'orders of a page, 1 to 200', '50')
    .option('--cursor <text>', 'next_cursor of the page before')
    .option('--json')
    .action((options: ListOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const { status, buyer, account, product, search, sort, ascending, cursor, limit } = options
        const query = { tenantId, statuses: status?.split(','), buyer, account, product, search, sort, ascending, cursor }
        const page = await listOrders(operator, { ...query, limit: readCount(limit ?? '50', 'limit') })
        const headings = ['ORDER', 'STATUS', 'BUYER', 'ADVERTISER', 'BUDGET', 'SPENT', 'DELIVERED', 'PLAN', 'PACING', 'ENDS']
        const lines = withMore(table(headings, page.orders.map(cellsOf)), page.next_cursor)
        printList(options.json, page.orders, lines, page.next_cursor)
      }),
    )
}

function cellsOf(order: OrderRow): string[] {
  const { media_buy_id: id, status, buyer, advertiser, currency, budget, spent, pacing, ends_at: ends } = order
  const money = [`${amountText(budget, currency)} ${currency}`, amountText(spent, currency)]
  const shares = [percent(pacing.delivered), percent(pacing.expected), pacing.state.replace('_', ' ')]
  return [id, status, buyer, advertiser ?? '', ...money, ...shares, ends.slice(0, 10)]
}

function addShow(orders: Command): void {
  withStoreOptions(orders.command('show <id>').description('one order with its packages, creatives and delivery'))
    .option('--tenant <id>')
    .option('--json')
    .action((id: string, options: ListOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const order = await showOrder(operator, tenantId, id)
        print(options.json, order, orderLines(order))
      }),
    )
}

function orderLines(order: ShownOrder): string[] {
  const { currency, pacing } = order
  const money = (amount: number) => `${amountText(amount, currency)} ${currency}`
  const packages = order.packages.map((pkg) => [
    pkg.package_id,
    pkg.product_id,
    pkg.canceled ? 'canceled' : pkg.paused ? 'paused' : '',
    money(pkg.budget),
    money(pkg.spent),
    String(pkg.impressions),
    pkg.creatives.map(({ creative_id: id, approval }) => `${id} (${approval})`).join(', '),
  ])
  return [
    `${order.media_buy_id}  ${order.status}${order.paused ? ', paused' : ''}  revision ${order.revision}`,
    `buyer ${order.buyer} (${order.buyer_name})  account ${order.account}  advertiser ${order.advertiser ?? ''}`,
    `flight ${order.starts_at} to ${order.ends_at}`,
    `budget ${money(order.budget)}  spent ${money(order.spent)} (${percent(pacing.delivered)}, plan ${percent(pacing.expected)}: ${pacing.state})`,
    ...(order.cancellation ? [`canceled by the ${order.cancellation.by}: ${order.cancellation.reason ?? ''}`] : []),
    '',
    ...table(['PACKAGE', 'PRODUCT', 'STATE', 'BUDGET', 'SPENT', 'IMPRESSIONS', 'CREATIVES'], packages),
  ]
}

function addHistory(orders: Command): void {
  withStoreOptions(orders.command('history <id>').description('every change of an order, newest first'))
    .option('--tenant <id>')
    .option('--json')
    .action((id: string, options: ListOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const history = await orderHistory(operator, tenantId, id)
        const rows = history.map((entry) => [
          entry.at,
          String(entry.revision),
          entry.person === null ? entry.actor : `${entry.actor} (${entry.person})`,
          [entry.summary, entry.package_id].filter((part) => part !== null).join(' · '),
        ])
        printList(options.json, history, table(['AT', 'REVISION', 'WHO', 'WHAT'], rows))
      }),
    )
}

type Change = (operator: OperatorContext, input: Parameters<typeof previewOrderChange>[2]) => Promise<ChangedOrder>

const CHANGES: Readonly<Record<OrderAction, Change>> = {
  pause: pauseOrder,
  resume: resumeOrder,
  extend: (operator, { endsAt = '', ...input }) => extendOrder(operator, { ...input, endsAt }),
  cancel: (operator, { reason = '', ...input }) => cancelOrder(operator, { ...input, reason }),
}

function addChange(orders: Command, action: OrderAction, description: string): Command {
  const command = withStoreOptions(orders.command(`${action} <id>`).description(description)).option('--tenant <id>')
  const reason = 'why; the buyer sees it'
  if (action === 'cancel') command.requiredOption('--reason <text>', reason)
  else command.option('--reason <text>', reason)
  return command
    .option('--revision <number>', 'only when the order is still at this revision')
    .option('--dry-run', 'show what it would come to')
    .option('--json')
    .action((id: string, options: ChangeOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const { reason, end: endsAt, package: packageIds, revision } = options
        const input = { tenantId, mediaBuyId: id, reason, endsAt, packageIds }
        const known = revision === undefined ? input : { ...input, revision: readCount(revision, 'revision') }
        if (options.dryRun) {
          const consequences = await previewOrderChange(operator, action, known)
          return print(options.json, consequences, consequenceLines(consequences))
        }
        const { changed, order } = await CHANGES[action](operator, known)
        const state = order.paused ? 'paused' : order.status
        const done = changed ? `${id} is ${state}` : `${id} is ${state} already, and nothing was changed`
        print(options.json, { changed, order }, [`${done}; it ends at ${order.ends_at}, revision ${order.revision}`])
      }),
    )
}

function consequenceLines(what: OrderConsequences): string[] {
  if (!what.changed) return [`${what.media_buy_id}: nothing would change`]
  const money = (amount: number) => `${amountText(amount, what.currency)} ${what.currency}`
  const end = what.ends_at_after === what.ends_at_before ? [] : [`end: ${what.ends_at_before} → ${what.ends_at_after}`]
  return [
    ...what.history.map((summary) => `${what.media_buy_id}: ${summary}`),
    `spent ${money(what.spent)} of ${money(what.budget)}; ${money(what.unspent)} not spent`,
    ...(what.released_impressions > 0 ? [`${what.released_impressions} reserved impressions become free`] : []),
    ...end,
  ]
}

function collect(text: string, all: readonly string[]): readonly string[] {
  return [...all, text]
}

import { Command } from 'commander'
import { createSimulator } from '../adapters/simulator.ts'
import { publicOrigin } from '../config.ts'
import { totalBudgetMicros } from '../domain/media-buy/create.ts'
import { microsToAmount } from '../domain/money.ts'
import { createCatalogueCache } from '../store/catalogue-cache.ts'
import { listSubmittedOrders, type SubmittedOrder } from '../store/submitted-orders.ts'
import { approveOrder, rejectOrder } from '../tasks/media-buy/decide-order.ts'
import { print, table } from './output.ts'
import { chooseTenant, type StoreOptions, withStore, withStoreOptions } from './store.ts'

interface Options extends StoreOptions {
  readonly tenant?: string
  readonly reason?: string
  readonly json?: boolean
}

/** `sales-agent approvals list|approve|reject`: orders that wait for a person at the publisher. */
export function approvalsCommand(): Command {
  const approvals = new Command('approvals').description('orders that wait for your approval')
  withStoreOptions(approvals.command('list').description('show the waiting orders'))
    .option('--tenant <id>')
    .option('--json')
    .action((options: Options) =>
      withStore(options, async (store) => {
        const orders = (await listSubmittedOrders(store.read, await chooseTenant(store, options.tenant))).map(present)
        const rows = orders.map((order) => [
          order.task_id,
          order.principal,
          `${order.budget} ${order.currency}`,
          order.products.join(', '),
          order.reason,
        ])
        print(options.json, orders, table(['task', 'agent', 'budget', 'products', 'why'], rows))
      }),
    )
  withStoreOptions(approvals.command('approve <task>').description('book the order and complete its task'))
    .option('--tenant <id>')
    .option('--json')
    .action((task: string, options: Options) =>
      withStore(options, async (store, config) => {
        const tenantId = await chooseTenant(store, options.tenant)
        const agentUrl = `${publicOrigin(config)}/mcp`
        const services = { store, adServer: createSimulator(), catalogue: createCatalogueCache(agentUrl) }
        const { status, result } = await approveOrder(services, tenantId, task, new Date())
        print(options.json, { task_id: task, status, result }, [`task ${task} is ${status}`])
      }),
    )
  withStoreOptions(approvals.command('reject <task>').description('decline the order'))
    .option('--tenant <id>')
    .option('--reason <text>', 'what the buyer is told', 'Declined by the seller')
    .option('--json')
    .action((task: string, options: Options) =>
      withStore(options, async (store) => {
        const tenantId = await chooseTenant(store, options.tenant)
        const { status } = await rejectOrder({ store }, tenantId, task, options.reason ?? 'Declined by the seller', new Date())
        print(options.json, { task_id: task, status }, [`task ${task} is ${status}`])
      }),
    )
  return approvals
}

function present({ taskId, principalId, buy, reason }: SubmittedOrder) {
  return {
    task_id: taskId,
    principal: principalId,
    budget: microsToAmount(totalBudgetMicros(buy)),
    currency: buy.currency,
    start_time: buy.startsAt,
    end_time: buy.endsAt,
    products: [...new Set(buy.packages.map((pkg) => pkg.productId))],
    reason,
  }
}

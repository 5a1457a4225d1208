import { Command } from 'commander'
import {
  listChangeSubscribers,
  subscribeToChanges,
  testChangeSubscriber,
  unsubscribeFromChanges,
} from '../operator/changes/change-subscribers.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print, printList, table } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface Options extends TenantOption {
  readonly types?: readonly string[]
  readonly json?: boolean
}

/** `sales-agent changes subscribe|list|test|unsubscribe`: addresses that get every change of a publisher by signed webhooks. */
export function changesCommand(): Command {
  const changes = new Command('changes')
  const command = (name: string, description: string) =>
    withStoreOptions(changes.command(name).description(description)).option('--tenant <id>').option('--json')
  command('subscribe <url>', 'send every change to an address from now on')
    .option('--types <type...>', 'only these, e.g. orders.pause, orders.* or create_media_buy')
    .action((url: string, options: Options) =>
      operateFor(options, async (operator, tenantId) => {
        const row = await subscribeToChanges(operator, { tenantId, url, types: options.types })
        print(options.json, row, [`${row.subscriber_id}: ${row.url} gets ${String(row.types)} from now on`])
      }),
    )
  command('list', 'list the addresses, and how far each is').action((options: Options) =>
    operateFor(options, async (operator, tenantId) => {
      const items = await listChangeSubscribers(operator, tenantId)
      const cells = items.map((row) => [
        row.subscriber_id,
        row.url,
        String(row.types),
        String(row.behind),
        row.last_error ?? String(row.last_status ?? ''),
      ])
      printList(options.json, items, table(['SUBSCRIBER', 'ADDRESS', 'TYPES', 'BEHIND', 'LAST ANSWER'], cells))
    }),
  )
  command('test <subscriber>', 'send it a change that is a test').action((subscriberId: string, options: Options) =>
    operateFor(options, async (operator, tenantId) => {
      await testChangeSubscriber(operator, { tenantId, subscriberId })
      print(options.json, { subscriber_id: subscriberId, queued: true }, [`a running server sends it within seconds`])
    }),
  )
  command('unsubscribe <subscriber>', 'end a subscription').action((subscriberId: string, options: Options) =>
    operateFor(options, async (operator, tenantId) => {
      await unsubscribeFromChanges(operator, { tenantId, subscriberId })
      print(options.json, { subscriber_id: subscriberId, removed: true }, [`${subscriberId} gets nothing any more`])
    }),
  )
  return changes
}

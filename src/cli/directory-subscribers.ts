import type { Command } from 'commander'
import { listFeedSubscribers, subscribeToFeed, unsubscribeFromFeed } from '../operator/directory/feed-subscribers.ts'
import { operate } from './operate.ts'
import { print, printList, table } from './output.ts'
import { type StoreOptions, withStoreOptions } from './store-options.ts'

interface Flags extends StoreOptions {
  readonly json?: boolean
  readonly types?: readonly string[]
}

/** `directory subscribe|unsubscribe|subscribers`: who gets the changes of the feed by webhook. */
export function addSubscriberCommands(directory: Command): void {
  withStoreOptions(
    directory.command('subscribe <url>').description('send every change of an authorisation to an address from now on, signed'),
  )
    .option('--types <type...>', 'only these, e.g. authorization.revoked or publisher.*')
    .option('--json')
    .action(async (url: string, options: Flags) => {
      const row = await operate(options, (operator) => subscribeToFeed(operator, { url, types: options.types }))
      print(options.json, row, [`${row.subscriber_id}: ${row.url} gets ${row.types ?? 'every change'} from now on`])
    })
  withStoreOptions(directory.command('unsubscribe <subscriber_id>').description('end a subscription'))
    .option('--json')
    .action(async (subscriberId: string, options: Flags) => {
      await operate(options, (operator) => unsubscribeFromFeed(operator, subscriberId))
      print(options.json, { subscriber_id: subscriberId }, [`${subscriberId} gets nothing any more`])
    })
  withStoreOptions(directory.command('subscribers').description('who gets the changes of the feed, and how far each is'))
    .option('--json')
    .action(async (options: Flags) => {
      const subscribers = await operate(options, listFeedSubscribers)
      const headings = ['subscriber', 'address', 'types', 'behind', 'failures', 'last answer', 'next try']
      const cells = subscribers.map((row) => [
        row.subscriber_id,
        row.url,
        row.types ?? 'all',
        String(row.behind),
        String(row.failures),
        row.last_error ?? String(row.last_status ?? ''),
        row.failures > 0 ? row.next_attempt_at : '',
      ])
      printList(options.json, subscribers, table(headings, cells))
    })
}

import { Command } from 'commander'
import { listNotifications } from '../operator/notifications/list-notifications.ts'
import {
  CHANNELS,
  listChannels,
  NOTIFICATION_KINDS,
  removeChannel,
  type ShownChannel,
  setChannel,
} from '../operator/notifications/manage-channels.ts'
import { testChannel } from '../operator/notifications/test-channel.ts'
import { AdcpError } from '../protocol/errors.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print, printList, table } from './output.ts'
import { readCount } from './read-count.ts'
import { withStoreOptions } from './store-options.ts'

interface NotificationOptions extends TenantOption {
  readonly person?: string
  readonly address?: string
  readonly kinds?: string
  readonly digest?: string | boolean
  readonly atOnce?: boolean
  readonly state?: string
  readonly limit?: string
  readonly json?: boolean
}

/** `sales-agent notifications list|set|remove|test|sent`: notifications to people of a publisher. */
export function notificationsCommand(): Command {
  const notifications = new Command('notifications')
  addList(notifications)
  addSet(notifications)
  addRemove(notifications)
  addTest(notifications)
  addSent(notifications)
  return notifications
}

function addList(notifications: Command): void {
  withStoreOptions(notifications.command('list').description('channels of people'))
    .option('--tenant <id>')
    .option('--person <username>', 'of one person')
    .option('--json')
    .action((options: NotificationOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const channels = await listChannels(operator, { tenantId, username: options.person })
        printList(options.json, channels, channelLines(channels))
      }),
    )
}

function addSet(notifications: Command): void {
  withStoreOptions(notifications.command('set <channel>').description(`add or change a channel: ${CHANNELS.join(', ')}`))
    .option('--tenant <id>')
    .requiredOption('--person <username>')
    .option('--address <address>', 'mail address, or https URL of the webhook')
    .option('--kinds <list>', `comma-separated: ${NOTIFICATION_KINDS.join(', ')} (default: all)`)
    .option('--digest [hour]', 'one message a day, at this hour of the publisher’s time zone (default 7)')
    .option('--at-once', 'a message when something happens (default)')
    .option('--json')
    .action((channel: string, options: NotificationOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const { person = '', address, kinds, digest, atOnce } = options
        const shown = await setChannel(operator, {
          tenantId,
          username: person,
          channel,
          address,
          kinds: kinds?.split(','),
          timing: atOnce ? 'at_once' : digest === undefined ? undefined : 'digest',
          digestHour: typeof digest === 'string' ? readCount(digest, 'digest') : undefined,
        })
        print(options.json, { channel: shown }, channelLines([shown]))
      }),
    )
}

function addRemove(notifications: Command): void {
  withStoreOptions(notifications.command('remove <channel>').description('remove a channel'))
    .option('--tenant <id>')
    .requiredOption('--person <username>')
    .option('--json')
    .action((channel: string, options: NotificationOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const { person = '' } = options
        await removeChannel(operator, { tenantId, username: person, channel })
        print(options.json, { username: person, channel, removed: true }, [`${person} gets no more notifications by ${channel}`])
      }),
    )
}

function addTest(notifications: Command): void {
  withStoreOptions(notifications.command('test <channel>').description('send a test over a channel now'))
    .option('--tenant <id>')
    .requiredOption('--person <username>')
    .option('--json')
    .action((channel: string, options: NotificationOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const result = await testChannel(operator, { tenantId, username: options.person ?? '', channel })
        if (!result.delivered)
          throw new AdcpError('SERVICE_UNAVAILABLE', `the test was not delivered: ${result.error ?? ''}`, { field: 'channel' })
        print(options.json, result, ['the test was delivered'])
      }),
    )
}

function addSent(notifications: Command): void {
  withStoreOptions(notifications.command('sent').description('messages to people, newest first'))
    .option('--tenant <id>')
    .option('--person <username>', 'to one person')
    .option('--state <state>', 'pending, delivered or dead (given up)')
    .option('--limit <number>', '1 to 500', '50')
    .option('--json')
    .action((options: NotificationOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const { person: username, state, limit = '50' } = options
        const messages = await listNotifications(operator, { tenantId, username, state, limit: readCount(limit, 'limit') })
        const rows = messages.map((message) => [
          message.created_at,
          message.username,
          message.channel,
          message.state,
          String(message.attempts),
          message.items[0]?.text ?? '',
          message.last_error ?? '',
        ])
        printList(options.json, messages, table(['CREATED', 'PERSON', 'CHANNEL', 'STATE', 'TRIES', 'TEXT', 'LAST'], rows))
      }),
    )
}

function channelLines(channels: readonly ShownChannel[]): readonly string[] {
  const rows = channels.map(({ username, channel, address, kinds, timing, digest_hour: hour }) => [
    username,
    channel,
    address,
    timing === 'digest' ? `daily at ${hour}:00` : 'at once',
    kinds.join(', '),
  ])
  return table(['PERSON', 'CHANNEL', 'ADDRESS', 'WHEN', 'KINDS'], rows)
}

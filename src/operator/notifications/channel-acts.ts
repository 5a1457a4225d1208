import { defineAct } from '../act.ts'
import { between, count, oneOf, required, someOf, text } from '../fields.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { about, boolean, integer, list, listOf, moment, named, type Of, object, orNull, pageOf, string, word } from '../shape.ts'
import { userName } from '../text-form.ts'
import { table } from '../text-table.ts'
import {
  CHANNELS,
  eraseChannel,
  listChannels,
  NOTIFICATION_KINDS,
  TIMINGS,
  watchedChannel,
  writeChannel,
} from './manage-channels.ts'
import { testChannel } from './test-channel.ts'

// Several acts in one file: they list, change and remove the same thing.

/** The channel that an act is about. */
export const CHANNEL = { channel: required(oneOf(CHANNELS, `one of ${CHANNELS.join(', ')}`)) }
/** Settings of a channel, of a person and of the publisher's own. */
export const CHANNEL_SETTINGS = {
  address: text('mail address, or https URL; a new channel needs one'),
  kinds: someOf(NOTIFICATION_KINDS, `of ${NOTIFICATION_KINDS.join(', ')}; default: all`),
  timing: oneOf(TIMINGS, 'default: at_once'),
  digest_hour: between(0, 23, count('one message a day at this hour, 0 to 23, in the publisher’s time zone; default: 7')),
}
const OF_PERSON = { username: required(userName('user name of a person of the console')), ...CHANNEL }
const FORM = { args: ['channel'], flags: { username: 'person' } } as const

const channelShape = named(
  'ShownChannel',
  object({
    username: string,
    channel: word(...CHANNELS),
    address: about('webhooks are shown by their origin: what follows is a secret of the receiver', string),
    kinds: listOf(word(...NOTIFICATION_KINDS)),
    timing: word(...TIMINGS),
    digest_hour: about('hour of the day in the time zone of the publisher; null: at once', orNull(integer)),
    updated_at: moment,
  }),
)

const whenOf = ({ timing, digest_hour: hour }: Of<typeof channelShape>) =>
  timing === 'digest' ? `daily at ${hour}:00` : 'at once'

export const listPersonChannels = defineAct({
  name: 'notifications.list',
  route: 'GET /notification-channels',
  id: 'listChannels',
  roles: ADMINISTRATORS,
  summary: 'The notification channels of people: address, kinds of notifications and time of each.',
  fields: { username: userName('of one person') },
  answer: pageOf(channelShape),
  command: {
    help: 'channels of people',
    flags: { username: 'person' },
    columns: [
      ['PERSON', ({ username }) => username],
      ['CHANNEL', ({ channel }) => channel],
      ['ADDRESS', ({ address }) => address],
      ['WHEN', whenOf],
      ['KINDS', ({ kinds }) => kinds.join(', ')],
    ],
  },
  run: async (context, { username }) => list(await listChannels(context, { tenantId: context.tenantId, username })),
})

/** Creates or changes a channel of a person. Throws as {@link writeChannel} does. */
export const setPersonChannel = defineAct({
  name: 'notifications.set',
  route: 'PUT /notification-channels/{username}/{channel}',
  id: 'setChannel',
  roles: ADMINISTRATORS,
  summary: `Adds or changes a channel of a person: ${CHANNELS.join(', ')}.`,
  fields: { ...OF_PERSON, ...CHANNEL_SETTINGS },
  answer: channelShape,
  command: {
    ...FORM,
    flags: { ...FORM.flags, digest_hour: 'digest' },
    bare: { digest_hour: { timing: 'digest' } },
    switches: { timing: { flag: 'at-once', about: 'a message when something happens (default)', on: 'at_once' } },
    json: (channel) => ({ channel }),
    text: (channel) =>
      table(
        ['PERSON', 'CHANNEL', 'ADDRESS', 'WHEN', 'KINDS'],
        [[channel.username, channel.channel, channel.address, whenOf(channel), channel.kinds.join(', ')]],
      ),
  },
  watch: watchedChannel,
  run(context, { digest_hour: digestHour, timing, ...settings }) {
    context.noteSubject(`${settings.username}/${settings.channel}`)
    const when = timing ?? (digestHour === undefined ? undefined : 'digest')
    return writeChannel(context, { tenantId: context.tenantId, digestHour, timing: when, ...settings })
  },
})

/** Removes a channel of a person. Messages that are already written are still sent. Throws REFERENCE_NOT_FOUND. */
export const removePersonChannel = defineAct({
  name: 'notifications.remove',
  route: 'DELETE /notification-channels/{username}/{channel}',
  id: 'removeChannel',
  roles: ADMINISTRATORS,
  summary: 'Removes a channel of a person.',
  fields: OF_PERSON,
  answer: object({ username: string, channel: string, removed: boolean }),
  command: {
    ...FORM,
    text: ({ username, channel }) => [`${username} gets no more notifications by ${channel}`],
  },
  watch: watchedChannel,
  async run(context, { username, channel }) {
    context.noteSubject(`${username}/${channel}`)
    await eraseChannel(context, { tenantId: context.tenantId, username, channel })
    return { username, channel, removed: true }
  },
})

/** Throws REFERENCE_NOT_FOUND. */
export const testPersonChannel = defineAct({
  name: 'notifications.test',
  route: 'POST /notification-channels/{username}/{channel}/test',
  id: 'testChannel',
  roles: ADMINISTRATORS,
  summary: 'Sends a test message now.',
  fields: OF_PERSON,
  answer: named(
    'ChannelTest',
    object({
      delivered: boolean,
      status: about('HTTP status of the receiver, or 250 of the mail server; null without an answer', orNull(integer)),
      error: about('what is wrong when it was not delivered', orNull(string)),
    }),
  ),
  command: {
    ...FORM,
    help: 'send a test over a channel now; exit code 1 when it does not arrive',
    fails: ({ delivered }) => !delivered,
    text: ({ delivered, error }) => [
      delivered ? 'the test was delivered' : `the test was not delivered: ${error ?? 'no reason is given'}`,
    ],
  },
  run(context, { username, channel }) {
    context.noteSubject(`${username}/${channel}`)
    return testChannel(context, { tenantId: context.tenantId, username, channel })
  },
})

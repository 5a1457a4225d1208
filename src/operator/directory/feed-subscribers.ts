import { AdcpError } from '../../protocol/errors.ts'
import { lastSequence } from '../../store/directory/registry-events.ts'
import { addSubscriber, listSubscribers } from '../../store/registry/feed-subscribers.ts'
import type { FeedSubscriberRow } from '../../store/registry/rows.ts'
import { defineAct } from '../act.ts'
import { HTTPS_ADDRESS } from '../https-url.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { about, boolean, integer, list, named, object, orNull, pageOf, string } from '../shape.ts'
import { ATTEMPT_MEMBERS, endSubscription, newSubscriber, SUBSCRIBER, typesField } from '../subscriptions.ts'

// Several acts in one file: they list, change and remove the same thing.

/** A type of event, or all of a kind: `authorization.granted`, `publisher.*`. */
const TYPE = /^[a-z_]{1,40}\.(?:[a-z_]{1,40}|\*)$/

const MEMBERS = {
  subscriber_id: string,
  tenant_id: about('the publisher whose audit log it follows; null: it follows the feed of the directory', orNull(string)),
  url: string,
  types: about('comma-separated; null: all', orNull(string)),
  position: about('number of the last event that it has taken', integer),
  ...ATTEMPT_MEMBERS,
}

/**
 * Lets an address have every change from now on by signed webhooks. Throws INVALID_REQUEST while changes are not recorded, for an address that
 * may not be called, and for an unknown type of event.
 */
export const subscribeToFeed = defineAct({
  name: 'directory.subscribe',
  route: 'POST /deployment/directory/subscribers',
  id: 'subscribeToFeed',
  roles: ADMINISTRATORS,
  scope: 'deployment',
  summary: 'Subscribes an address to every change of the directory from now on, by signed webhooks.',
  fields: {
    url: HTTPS_ADDRESS,
    types: typesField(
      TYPE,
      'types of events, such as authorization.granted or publisher.*',
      'types of events, e.g. authorization.revoked or publisher.* (default: all)',
    ),
  },
  answer: named('FeedSubscriberRow', object(MEMBERS)),
  command: {
    args: ['url'],
    variadic: ['types'],
    text: (row) => [`${row.subscriber_id}: ${row.url} gets ${row.types ?? 'every change'} from now on`],
  },
  async run(context, { url, types = [] }) {
    const { store, config } = context
    if (!config.directory.feed) {
      const message = 'changes are not recorded: turn on the setting directory.feed first'
      throw new AdcpError('INVALID_REQUEST', message, { field: 'url' })
    }
    const allowsLoopback = config.directory.allowLoopback && config.mode === 'development'
    const made = await newSubscriber(context, { prefix: 'sub', tenantId: null, url, types, allowsLoopback })
    return store.transaction(async (tx) => {
      const row = { ...made, position: await lastSequence(tx) }
      await addSubscriber(tx, row)
      return shown(row)
    })
  },
})

/** Ends a subscription. Throws REFERENCE_NOT_FOUND. */
export const unsubscribeFromFeed = defineAct({
  name: 'directory.unsubscribe',
  route: 'DELETE /deployment/directory/subscribers/{subscriber}',
  id: 'unsubscribeFromFeed',
  roles: ADMINISTRATORS,
  scope: 'deployment',
  summary: 'Ends a subscription.',
  fields: { subscriber: SUBSCRIBER },
  answer: object({ subscriber: string, removed: boolean }),
  command: {
    text: ({ subscriber }) => [`${subscriber} gets nothing any more`],
    json: ({ subscriber }) => ({ subscriber_id: subscriber }),
  },
  async run(context, { subscriber }) {
    await context.store.transaction((tx) => endSubscription(tx, context, null, subscriber))
    return { subscriber, removed: true }
  },
})

/** A subscriber without what is sealed of its address. */
type ShownSubscriber = Omit<FeedSubscriberRow, 'query'>

function shown({ query: _query, ...row }: FeedSubscriberRow): ShownSubscriber {
  return row
}

/** The subscribers of the feed, and how far each is. */
export const listFeedSubscribers = defineAct({
  name: 'directory.list-subscribers',
  route: 'GET /deployment/directory/subscribers',
  id: 'listFeedSubscribers',
  roles: ADMINISTRATORS,
  scope: 'deployment',
  summary: 'Subscribers of the directory’s feed, and the position of each.',
  fields: {},
  answer: pageOf(object({ ...MEMBERS, behind: about('events that it has not taken yet', integer) })),
  command: {
    words: 'directory subscribers',
    columns: [
      ['subscriber', (row) => row.subscriber_id],
      ['address', ({ url }) => url],
      ['types', ({ types }) => types ?? 'all'],
      ['behind', ({ behind }) => String(behind)],
      ['failures', ({ failures }) => String(failures)],
      ['last answer', (row) => row.last_error ?? String(row.last_status ?? '')],
      ['next try', (row) => (row.failures > 0 ? row.next_attempt_at : '')],
    ],
  },
  async run({ store }) {
    const last = await lastSequence(store.read)
    const rows = await listSubscribers(store.read, null)
    return list(rows.map((row) => ({ ...shown(row), behind: Math.max(0, last - Number(row.position)) })))
  },
})

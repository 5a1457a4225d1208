import { CHANGE_TYPE } from '../../domain/audit/change-type.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { chainHead } from '../../store/audit/audit.ts'
import { addSubscriber, listSubscribers } from '../../store/registry/feed-subscribers.ts'
import type { FeedSubscriberRow } from '../../store/registry/rows.ts'
import { defineAct } from '../act.ts'
import { HTTPS_ADDRESS } from '../https-url.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { about, boolean, either, integer, list, listOf, named, type Of, object, pageOf, string, word } from '../shape.ts'
import { ATTEMPT_MEMBERS, endSubscription, newSubscriber, noSubscriber, SUBSCRIBER, typesField } from '../subscriptions.ts'

// Several acts in one file: they list, change and remove the same thing.

const subscriberShape = named(
  'ChangeSubscriber',
  object({
    subscriber_id: string,
    url: string,
    types: either(word('all'), listOf(string)),
    behind: about('changes that it does not have yet', integer),
    ...ATTEMPT_MEMBERS,
  }),
)

/** Each costs a request for every change. */
const MOST_SUBSCRIBERS = 20

/**
 * Lets an address have every change of a publisher from now on: what its people and its buyers do, in the order of the audit log, signed as every
 * webhook of this deployment. Throws INVALID_REQUEST.
 */
export const subscribeToChanges = defineAct({
  name: 'changes.subscribe',
  route: 'POST /change-subscribers',
  id: 'subscribeToChanges',
  roles: ADMINISTRATORS,
  summary: 'Subscribes an address to every change of the publisher from now on, by signed webhooks.',
  fields: {
    url: HTTPS_ADDRESS,
    types: typesField(
      CHANGE_TYPE,
      'acts or groups of acts, such as orders.pause, orders.* or create_media_buy',
      'acts or groups of acts, e.g. orders.pause, orders.*, create_media_buy (default: all)',
    ),
  },
  answer: subscriberShape,
  command: {
    args: ['url'],
    variadic: ['types'],
    text: ({ subscriber_id: id, url, types }) => [`${id}: ${url} gets ${String(types)} from now on`],
  },
  async run(context, { url, types = [] }) {
    const { store, tenantId, config } = context
    const allowsLoopback = config.mode === 'development'
    const made = await newSubscriber(context, { prefix: 'chs', tenantId, url, types, allowsLoopback })
    return store.transaction(async (tx) => {
      if ((await listSubscribers(tx, tenantId)).length >= MOST_SUBSCRIBERS)
        throw new AdcpError('INVALID_REQUEST', `a publisher has ${MOST_SUBSCRIBERS} subscribers at most`, { field: 'url' })
      const { seq: position } = await chainHead(tx, tenantId)
      const row = { ...made, position }
      await addSubscriber(tx, row)
      return present(row, position)
    })
  },
})

/** Addresses that get the changes of a publisher, and how far each is. */
export const listChangeSubscribers = defineAct({
  name: 'changes.list',
  route: 'GET /change-subscribers',
  id: 'listChangeSubscribers',
  // An address may hold a secret.
  roles: ADMINISTRATORS,
  summary: 'Addresses that are subscribed to the changes of the publisher, and the position of each.',
  fields: {},
  answer: pageOf(subscriberShape),
  command: {
    columns: [
      ['SUBSCRIBER', (row) => row.subscriber_id],
      ['ADDRESS', ({ url }) => url],
      ['TYPES', ({ types }) => String(types)],
      ['BEHIND', ({ behind }) => String(behind)],
      ['LAST ANSWER', (row) => row.last_error ?? String(row.last_status ?? '')],
    ],
  },
  async run({ store, tenantId }) {
    const { seq } = await chainHead(store.read, tenantId)
    return list((await listSubscribers(store.read, tenantId)).map((row) => present(row, seq)))
  },
})

/** Ends a subscription. Throws REFERENCE_NOT_FOUND. */
export const unsubscribeFromChanges = defineAct({
  name: 'changes.unsubscribe',
  route: 'DELETE /change-subscribers/{subscriber}',
  id: 'unsubscribeFromChanges',
  roles: ADMINISTRATORS,
  summary: 'Ends a subscription.',
  fields: { subscriber: SUBSCRIBER },
  answer: object({ subscriber_id: string, removed: boolean }),
  command: { text: ({ subscriber_id: id }) => [`${id} gets nothing any more`] },
  async run(context, { subscriber }) {
    await context.store.transaction((tx) => endSubscription(tx, context, context.tenantId, subscriber))
    return { subscriber_id: subscriber, removed: true }
  },
})

/** Sends a subscriber, and no other, a change that is a test: on the road of every change, so within seconds. Throws REFERENCE_NOT_FOUND. */
export const testChangeSubscriber = defineAct({
  name: 'changes.test',
  route: 'POST /change-subscribers/{subscriber}/test',
  id: 'testChangeSubscriber',
  roles: ADMINISTRATORS,
  summary: 'Sends a subscriber a change that is a test, within seconds.',
  fields: { subscriber: SUBSCRIBER },
  answer: object({ subscriber_id: string, queued: boolean }),
  command: { text: () => ['a running server sends it within seconds'] },
  async run({ store, tenantId }, { subscriber }) {
    await store.transaction(async (tx) => {
      const all = await listSubscribers(tx, tenantId)
      if (!all.some((row) => row.subscriber_id === subscriber)) throw noSubscriber(subscriber)
    })
    return { subscriber_id: subscriber, queued: true }
  },
})

function present(
  { types, position, tenant_id: _tenant, query: _query, ...row }: FeedSubscriberRow,
  last: number,
): Of<typeof subscriberShape> {
  return { ...row, types: types === null ? ('all' as const) : types.split(','), behind: Math.max(0, last - Number(position)) }
}

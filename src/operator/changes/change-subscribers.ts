import { randomUUID } from 'node:crypto'
import { CHANGE_TYPE } from '../../domain/audit/change-type.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { sealSubscriber } from '../../security/secrets/sealed-address.ts'
import { chainHead } from '../../store/audit/audit.ts'
import { addSubscriber, deleteSubscriber, listSubscribers, subscriberPlace } from '../../store/registry/feed-subscribers.ts'
import type { FeedSubscriberRow } from '../../store/registry/rows.ts'
import { defineAct } from '../act.ts'
import { requireAddress } from '../directory/feed-subscribers.ts'
import { ids, required, text } from '../fields.ts'
import { HTTPS_ADDRESS } from '../https-url.ts'
import { ADMINISTRATORS } from '../roles.ts'
import {
  about,
  boolean,
  either,
  integer,
  list,
  listOf,
  moment,
  named,
  type Of,
  object,
  orNull,
  pageOf,
  string,
  word,
} from '../shape.ts'

const subscriberShape = named(
  'ChangeSubscriber',
  object({
    subscriber_id: string,
    url: string,
    types: either(word('all'), listOf(string)),
    behind: about('changes that it does not have yet', integer),
    failures: about('attempts in a row that failed', integer),
    next_attempt_at: about('when it may be sent to: the next try, or, while one runs, the end of its lease', moment),
    last_status: orNull(integer),
    last_error: orNull(string),
    added_at: moment,
  }),
)

const SUBSCRIBER = required(text('id of the subscriber'))

const MOST_TYPES = 50
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
  summary: 'Lets an address have every change from now on, by signed webhooks.',
  fields: {
    url: HTTPS_ADDRESS,
    types: ids('acts or groups of acts, e.g. orders.pause, orders.*, create_media_buy (default: all)'),
  },
  answer: subscriberShape,
  command: {
    args: ['url'],
    variadic: ['types'],
    text: ({ subscriber_id: id, url, types }) => [`${id}: ${url} gets ${String(types)} from now on`],
  },
  async run({ store, tenantId, clock, config, services, noteSubject }, { url, types = [] }) {
    await requireAddress(url, config.mode === 'development')
    const bad = types.find((type) => !CHANGE_TYPE.test(type))
    if (bad !== undefined || types.length > MOST_TYPES) {
      const message = `"${(bad ?? types.join()).slice(0, 100)}" is no act; send e.g. orders.pause, orders.* or create_media_buy`
      throw new AdcpError('INVALID_REQUEST', message, { field: 'types' })
    }
    const subscriberId = `chs_${randomUUID()}`
    noteSubject(subscriberId)
    const sealed = sealSubscriber(await services.webhookBox(), url, subscriberPlace(subscriberId))
    const now = clock().toISOString()
    return store.transaction(async (tx) => {
      if ((await listSubscribers(tx, tenantId)).length >= MOST_SUBSCRIBERS)
        throw new AdcpError('INVALID_REQUEST', `a publisher has ${MOST_SUBSCRIBERS} subscribers at most`, { field: 'url' })
      const { seq: position } = await chainHead(tx, tenantId)
      const wanted = types.length === 0 ? null : types.join(',')
      const attempts = { failures: 0, next_attempt_at: now, last_status: null, last_error: null }
      const row = {
        subscriber_id: subscriberId,
        tenant_id: tenantId,
        url: sealed.url,
        query: sealed.query ?? null,
        types: wanted,
        position,
        ...attempts,
        added_at: now,
      }
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
  summary: 'Addresses that get the changes of the publisher by signed webhooks, and how far each is.',
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
  async run({ store, tenantId }, { subscriber }) {
    await store.transaction(async (tx) => {
      if (!(await deleteSubscriber(tx, tenantId, subscriber))) throw unknown(subscriber)
    })
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
      if (!all.some((row) => row.subscriber_id === subscriber)) throw unknown(subscriber)
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

function unknown(subscriberId: string): AdcpError {
  return new AdcpError('REFERENCE_NOT_FOUND', `there is no subscriber ${subscriberId.slice(0, 100)}`, { field: 'subscriber' })
}

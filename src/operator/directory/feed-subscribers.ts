import { randomUUID } from 'node:crypto'
import { FetchFailure } from '../../platform/net/fetch-policy.ts'
import { checkPostAddress } from '../../platform/net/safe-post.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { sealSubscriber } from '../../security/secrets/sealed-address.ts'
import { lastSequence } from '../../store/directory/registry-events.ts'
import { addSubscriber, deleteSubscriber, listSubscribers, subscriberPlace } from '../../store/registry/feed-subscribers.ts'
import type { FeedSubscriberRow } from '../../store/registry/rows.ts'
import { defineAct } from '../act.ts'
import { ids, required, text } from '../fields.ts'
import { HTTPS_ADDRESS } from '../https-url.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { about, boolean, integer, list, moment, named, object, orNull, pageOf, string } from '../shape.ts'

/** A type of event, or all of a kind: `authorization.granted`, `publisher.*`. */
const TYPE = /^[a-z_]{1,40}\.(?:[a-z_]{1,40}|\*)$/
const MOST_TYPES = 50

const MEMBERS = {
  subscriber_id: string,
  tenant_id: about('the publisher whose audit log it follows; null: it follows the feed of the directory', orNull(string)),
  url: string,
  types: about('comma-separated; null: all', orNull(string)),
  position: about('number of the last event that it has taken', integer),
  failures: about('attempts in a row that failed', integer),
  next_attempt_at: about('when it may be sent to: the next try, or, while one runs, the end of its lease', moment),
  last_status: orNull(integer),
  last_error: orNull(string),
  added_at: moment,
}

/**
 * Lets an address have every change from now on by signed webhooks. Throws INVALID_REQUEST while changes are not recorded, for an address that
 * may not be called, and for what is no type of event.
 */
export const subscribeToFeed = defineAct({
  name: 'directory.subscribe',
  route: 'POST /deployment/directory/subscribers',
  id: 'subscribeToFeed',
  roles: ADMINISTRATORS,
  scope: 'deployment',
  summary: 'Lets an address have every change of the directory from now on by signed webhooks.',
  fields: {
    url: HTTPS_ADDRESS,
    types: ids('types of events, e.g. authorization.revoked or publisher.* (default: all)'),
  },
  answer: named('FeedSubscriberRow', object(MEMBERS)),
  command: {
    args: ['url'],
    variadic: ['types'],
    text: (row) => [`${row.subscriber_id}: ${row.url} gets ${row.types ?? 'every change'} from now on`],
  },
  async run({ store, config, clock, services, noteSubject }, { url, types = [] }) {
    if (!config.directory.feed) {
      const message = 'changes are not recorded: turn on the setting directory.feed first'
      throw new AdcpError('INVALID_REQUEST', message, { field: 'url' })
    }
    await requireAddress(url, config.directory.allowLoopback && config.mode === 'development')
    const bad = types.find((type) => !TYPE.test(type))
    if (bad !== undefined || types.length > MOST_TYPES) {
      const message = `"${(bad ?? types.join()).slice(0, 100)}" is no type of event; send e.g. authorization.granted or publisher.*`
      throw new AdcpError('INVALID_REQUEST', message, { field: 'types' })
    }
    const subscriberId = `sub_${randomUUID()}`
    noteSubject(subscriberId)
    const sealed = sealSubscriber(await services.webhookBox(), url, subscriberPlace(subscriberId))
    const now = clock().toISOString()
    return store.transaction(async (tx) => {
      const row: FeedSubscriberRow = {
        subscriber_id: subscriberId,
        tenant_id: null,
        url: sealed.url,
        query: sealed.query ?? null,
        types: types.length === 0 ? null : types.join(','),
        position: await lastSequence(tx),
        failures: 0,
        next_attempt_at: now,
        last_status: null,
        last_error: null,
        added_at: now,
      }
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
  fields: { subscriber: required(text('id of the subscriber of the directory')) },
  answer: object({ subscriber: string, removed: boolean }),
  command: {
    text: ({ subscriber }) => [`${subscriber} gets nothing any more`],
    json: ({ subscriber }) => ({ subscriber_id: subscriber }),
  },
  async run({ store }, { subscriber }) {
    await store.transaction(async (tx) => {
      if (await deleteSubscriber(tx, null, subscriber)) return
      throw new AdcpError('REFERENCE_NOT_FOUND', `there is no subscriber ${subscriber.slice(0, 100)}`, { field: 'subscriber' })
    })
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
  summary: 'Subscribers of the directory’s feed, and how far each is.',
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

/** Throws INVALID_REQUEST for an address that may not be called; `loopback`: one on this machine may be. */
export async function requireAddress(url: string, loopback: boolean): Promise<void> {
  try {
    await checkPostAddress(url, loopback)
  } catch (error) {
    if (!(error instanceof FetchFailure)) throw error
    const message = 'the address must be a public https URL without user information or fragment'
    throw new AdcpError('INVALID_REQUEST', message, { field: 'url' })
  }
}

import { randomUUID } from 'node:crypto'
import { FetchFailure } from '../platform/net/fetch-policy.ts'
import { checkPostAddress } from '../platform/net/safe-post.ts'
import { AdcpError } from '../protocol/errors.ts'
import { sealSubscriber } from '../security/secrets/sealed-address.ts'
import type { Db } from '../store/database.ts'
import { deleteSubscriber, listSubscribers, subscriberPlace } from '../store/registry/feed-subscribers.ts'
import type { FeedSubscriberRow } from '../store/registry/rows.ts'
import type { ActContext } from './act.ts'
import { changedMembers } from './changed-members.ts'
import { type Field, ids, required } from './fields.ts'
import { about, integer, moment, orNull, string } from './shape.ts'
import { idText, listInForm } from './text-form.ts'

const MOST_TYPES = 50

/** The field of what is subscribed to; `words`: what its items are, with samples. */
export function typesField(form: RegExp, words: string, about: string): Field<readonly string[], false> {
  return listInForm({ pattern: form.source, words }, MOST_TYPES, ids(about))
}

/** The field that names a subscriber. */
export const SUBSCRIBER = required(idText('id of the subscriber'))

/** Members of an answer that say how sending to a subscriber goes. */
export const ATTEMPT_MEMBERS = {
  failures: about('attempts in a row that failed', integer),
  next_attempt_at: about('when it may be sent to: the next try, or, while one runs, the end of its lease', moment),
  last_status: orNull(integer),
  last_error: orNull(string),
  added_at: moment,
}

/** What is subscribed to. */
interface Subscription {
  /** Of the id of the new subscriber, e.g. `chs`. */
  readonly prefix: string
  /** The publisher whose changes it gets; null: the feed of the directory. */
  readonly tenantId: string | null
  readonly url: string
  /** None: every one. */
  readonly types: readonly string[]
  /** Whether the address may be on this machine. */
  readonly allowsLoopback: boolean
}

/** A new subscriber, to be stored with the place that it begins after; the query of its address is sealed. Throws INVALID_REQUEST for an address that may not be called. */
export async function newSubscriber(
  { services, clock, noteSubject, noteChanges }: ActContext,
  { prefix, tenantId, url, types, allowsLoopback }: Subscription,
): Promise<Omit<FeedSubscriberRow, 'position'>> {
  await requireAddress(url, allowsLoopback)
  const subscriberId = `${prefix}_${randomUUID()}`
  noteSubject(subscriberId)
  const sealed = sealSubscriber(await services.webhookBox(), url, subscriberPlace(subscriberId))
  const now = clock().toISOString()
  const row = {
    subscriber_id: subscriberId,
    tenant_id: tenantId,
    url: sealed.url,
    query: sealed.query ?? null,
    types: types.length === 0 ? null : types.join(','),
    ...{ failures: 0, next_attempt_at: now, last_status: null, last_error: null, added_at: now },
  }
  noteChanges(changedMembers({}, loggedSubscription(row)))
  return row
}

/** What a subscription is, for the audit log: where it sends, and what. The path and query of an address may hold a secret of its receiver. */
function loggedSubscription({ url, types }: Pick<FeedSubscriberRow, 'url' | 'types'>): object {
  return { host: new URL(url).host, types: types ?? 'all' }
}

/** Ends a subscription. Throws REFERENCE_NOT_FOUND. */
export async function endSubscription(
  tx: Db,
  { noteChanges }: Pick<ActContext, 'noteChanges'>,
  tenantId: string | null,
  subscriber: string,
): Promise<void> {
  const row = (await listSubscribers(tx, tenantId)).find((each) => each.subscriber_id === subscriber)
  if (row) noteChanges(changedMembers(loggedSubscription(row), {}))
  if (!(await deleteSubscriber(tx, tenantId, subscriber))) throw noSubscriber(subscriber)
}

/** There is no such subscriber. */
export function noSubscriber(id: string): AdcpError {
  return new AdcpError('REFERENCE_NOT_FOUND', `there is no subscriber ${id.slice(0, 100)}`, { field: 'subscriber' })
}

async function requireAddress(url: string, allowsLoopback: boolean): Promise<void> {
  try {
    await checkPostAddress(url, allowsLoopback)
  } catch (error) {
    if (!(error instanceof FetchFailure)) throw error
    const message = 'the address must be a public https URL without user information or fragment'
    throw new AdcpError('INVALID_REQUEST', message, { field: 'url' })
  }
}

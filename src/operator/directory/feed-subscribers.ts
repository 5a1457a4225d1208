import { randomUUID } from 'node:crypto'
import { FetchFailure } from '../../platform/net/fetch-policy.ts'
import { checkPostAddress } from '../../platform/net/safe-post.ts'
import { AdcpError } from '../../protocol/errors.ts'
import {
  addSubscriber,
  deleteSubscriber,
  type FeedSubscriberRow,
  listSubscribers,
} from '../../store/registry/feed-subscribers.ts'
import { lastSequence } from '../../store/registry/registry-events.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'

export type { FeedSubscriberRow }

/** A type of event, or all of a kind: `authorization.granted`, `publisher.*`. */
const TYPE = /^[a-z_]{1,40}\.(?:[a-z_]{1,40}|\*)$/
const MOST_TYPES = 50

/**
 * Lets an address have every change from now on by signed webhooks. Throws INVALID_REQUEST while changes are not recorded, for an address that
 * may not be called, and for what is no type of event.
 */
export async function subscribeToFeed(
  context: OperatorContext,
  { url, types = [] }: { readonly url: string; readonly types?: readonly string[] | undefined },
): Promise<FeedSubscriberRow> {
  const { config, clock } = context
  if (!config.directory.feed) {
    throw new AdcpError('INVALID_REQUEST', 'changes are not recorded: turn on the setting directory.feed first', { field: 'url' })
  }
  await requireAddress(url, config.directory.allowLoopback && config.mode === 'development')
  const bad = types.find((type) => !TYPE.test(type))
  if (bad !== undefined || types.length > MOST_TYPES) {
    const message = `"${(bad ?? types.join()).slice(0, 100)}" is no type of event; send e.g. authorization.granted or publisher.*`
    throw new AdcpError('INVALID_REQUEST', message, { field: 'types' })
  }
  const subscriberId = `sub_${randomUUID()}`
  const store = auditedStore(context, { task: 'directory.subscribe', subject: subscriberId })
  const now = clock().toISOString()
  return store.transaction(async (tx) => {
    const row: FeedSubscriberRow = {
      subscriber_id: subscriberId,
      tenant_id: null,
      url,
      types: types.length === 0 ? null : types.join(','),
      position: await lastSequence(tx),
      failures: 0,
      next_attempt_at: now,
      last_status: null,
      last_error: null,
      added_at: now,
    }
    await addSubscriber(tx, row)
    return row
  })
}

/** Ends a subscription. Throws REFERENCE_NOT_FOUND. */
export async function unsubscribeFromFeed(context: OperatorContext, subscriberId: string): Promise<void> {
  const store = auditedStore(context, { task: 'directory.unsubscribe', subject: subscriberId })
  await store.transaction(async (tx) => {
    if (await deleteSubscriber(tx, null, subscriberId)) return
    throw new AdcpError('REFERENCE_NOT_FOUND', `there is no subscriber ${subscriberId.slice(0, 100)}`, { field: 'subscriber_id' })
  })
}

/** The subscribers of the feed, and how far each is. */
export async function listFeedSubscribers({
  store,
}: OperatorContext): Promise<readonly (FeedSubscriberRow & { readonly behind: number })[]> {
  const last = await lastSequence(store.read)
  return (await listSubscribers(store.read, null)).map((row) => ({ ...row, behind: Math.max(0, last - Number(row.position)) }))
}

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

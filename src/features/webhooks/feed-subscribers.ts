import { hash } from 'node:crypto'
import type { Logger } from 'pino'
import { eventTypeFilter } from '../../domain/registry/event-types.ts'
import { presentEvent } from '../../domain/registry/present-event.ts'
import { type AttemptResult, pauseAfter } from '../../domain/webhook/retry.ts'
import type { SafePost } from '../../platform/net/safe-post.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { openAddress } from '../../security/secrets/sealed-address.ts'
import type { SecretBox } from '../../security/secrets/secret-box.ts'
import type { KeyProvider } from '../../security/signing/key-provider.ts'
import { WEBHOOK_PROFILE } from '../../security/signing/profile.ts'
import { signMessage } from '../../security/signing/sign.ts'
import type { Store } from '../../store/database.ts'
import { lastSequence, pageEvents } from '../../store/directory/registry-events.ts'
import { endAttempt, leaseSubscriber, listDueSubscribers, subscriberPlace } from '../../store/registry/feed-subscribers.ts'
import type { FeedSubscriberRow } from '../../store/registry/rows.ts'
import { changesAfter } from './publisher-changes.ts'

/** Events of one webhook: about 200 kB. */
const MAX_EVENTS = 500
/** Subscribers that are sent to at once. */
const AT_ONCE = 8
/** Longer than one attempt may take; a subscriber of a process that was killed waits this long. */
const LEASE_MS = 60_000
const JSON_TYPE = 'application/json'

export interface FeedWebhookOptions {
  readonly store: Store
  readonly post: SafePost
  readonly keys: KeyProvider
  /** Opens the queries of addresses. */
  readonly box: SecretBox
  readonly clock: () => Date
  /** In [0, 1). */
  readonly random: () => number
  /** Lets a subscriber of the directory's feed be on this machine. */
  readonly loopback: boolean
  /** Lets a subscriber of a publisher's changes be on this machine. */
  readonly developing: boolean
  readonly log: Pick<Logger, 'warn'>
}

/**
 * Makes the function that a background job calls: it sends the subscribers of the feed, and of publishers' changes, what they have not taken yet, in the order of commits,
 * one webhook at a time for each, signed as every webhook of this deployment. The feed, or the audit log, itself is the outbox: an event is in it with the
 * commit of the change, and a subscriber's place moves on only after its receiver has answered 2xx. Says whether there is more to send.
 */
export function feedWebhooks(options: FeedWebhookOptions): () => Promise<boolean> {
  const { store, clock } = options
  return async () => {
    const due = await listDueSubscribers(store.read, await lastSequence(store.read), clock(), AT_ONCE)
    const hadMore = await Promise.all(due.map((row) => sendTo(row, options)))
    return hadMore.includes(true)
  }
}

interface Batch {
  readonly events: readonly object[]
  readonly position: number
  readonly hasMore: boolean
  /** Events behind the subscriber's place were dropped, because it was away for longer than they are stored. */
  readonly missed: boolean
}

/** Says whether the subscriber has taken something and there is more for it. */
async function sendTo(row: FeedSubscriberRow, options: FeedWebhookOptions): Promise<boolean> {
  const { store, clock, random, log } = options
  const until = new Date(clock().getTime() + LEASE_MS)
  if (!(await store.transaction((tx) => leaseSubscriber(tx, row, until)))) return false
  const batch = await nextBatch(store, row)
  const result = batch.events.length === 0 && !batch.missed ? undefined : await attempt(row, batch, options)
  const now = clock()
  if (result === undefined || (result.status !== undefined && result.status >= 200 && result.status < 300)) {
    const taken = { position: batch.position, failures: 0, next_attempt_at: now.toISOString(), last_error: null }
    await store.transaction((tx) =>
      endAttempt(tx, row, until, { ...taken, ...(result && { last_status: result.status ?? null }) }),
    )
    return batch.hasMore
  }
  const failures = row.failures + 1
  const error = result.error ?? `the receiver answered ${result.status}`
  const next = new Date(now.getTime() + pauseAfter(failures, random(), result.retryAfterSeconds)).toISOString()
  log.warn({ subscriber: row.subscriber_id, failures, error }, 'a subscriber of the feed did not take its webhook')
  const failed = { failures, next_attempt_at: next, last_status: result.status ?? null, last_error: error.slice(0, 500) }
  await store.transaction((tx) => endAttempt(tx, row, until, failed))
  return false
}

async function nextBatch(
  { read }: Store,
  { tenant_id: tenantId, position, types, subscriber_id }: FeedSubscriberRow,
): Promise<Batch> {
  if (tenantId !== null) {
    const changes = await changesAfter(read, { tenantId, position, types, subscriberId: subscriber_id }, MAX_EVENTS)
    return { ...changes, missed: false }
  }
  const request = { limit: MAX_EVENTS, wants: eventTypeFilter(types ?? undefined) }
  try {
    const page = await pageEvents(read, { ...request, after: position })
    return { ...page, events: page.events.map(presentEvent), missed: false }
  } catch (error) {
    if (!(error instanceof AdcpError) || error.details?.reason !== 'cursor_expired') throw error
    const page = await pageEvents(read, { ...request, after: undefined })
    return { ...page, events: page.events.map(presentEvent), missed: true }
  }
}

/** One POST, signed anew. The same batch has the same `idempotency_key` in every attempt. */
async function attempt(
  { subscriber_id, tenant_id: tenantId, position, ...address }: FeedSubscriberRow,
  batch: Batch,
  { post, keys, box, clock, loopback, developing }: FeedWebhookOptions,
): Promise<AttemptResult> {
  const unique = hash('sha256', `${subscriber_id} ${position} ${batch.position}`, 'base64url').slice(0, 32)
  const body = Buffer.from(
    JSON.stringify({
      idempotency_key: `${tenantId === null ? 'feed' : 'chg'}_${unique}`,
      ...(tenantId !== null && { publisher: tenantId }),
      subscriber_id,
      missed_events: batch.missed,
      has_more: batch.hasMore,
      events: batch.events,
    }),
  )
  try {
    const sealed = { url: address.url, query: address.query ?? undefined }
    const url = openAddress(box, sealed, subscriberPlace(subscriber_id))
    const message = { method: 'POST', url, body, contentType: JSON_TYPE }
    const signed = await signMessage(
      message,
      await keys.signer('webhook-signing'),
      WEBHOOK_PROFILE,
      Math.floor(clock().getTime() / 1000),
    )
    const headers = { 'Content-Type': JSON_TYPE, ...signed }
    return await post(url, { headers, body, loopback: tenantId === null ? loopback : developing })
  } catch (error) {
    return { error: error instanceof Error ? error.message : 'unknown failure' }
  }
}

import { initiatorOf, type Purge } from '../creative/purge.ts'

/** A creative that the publisher destroyed. */
export interface CreativePurge {
  /** The same for all subscribers. */
  readonly notificationId: string
  readonly purgedCreativeId: string
  readonly accountId: string
  readonly subscriberId: string
  readonly purge: Purge
  readonly at: Date
}

/** Longest detail that the schema takes, characters. */
const MAX_DETAIL = 500

/** The body of a notification as text (AdCP 3.1, creative/creative-purged-webhook.json). */
export function creativePurgeBody(event: CreativePurge, idempotencyKey: string): string {
  const { notificationId, purgedCreativeId, accountId, subscriberId, purge, at } = event
  return JSON.stringify({
    idempotency_key: idempotencyKey,
    notification_id: notificationId,
    notification_type: 'creative.purged',
    fired_at: at.toISOString(),
    subscriber_id: subscriberId,
    account_id: accountId,
    creative_id: purgedCreativeId,
    purge_kind: purge.kind,
    purged_at: at.toISOString(),
    reason_code: purge.reason,
    ...(purge.detail !== undefined && { reason_detail: purge.detail.slice(0, MAX_DETAIL) }),
    initiator: initiatorOf(purge.reason),
  })
}

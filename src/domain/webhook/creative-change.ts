/** A creative whose status the publisher changed. */
export interface CreativeChange {
  /** The same for all subscribers. */
  readonly notificationId: string
  readonly creativeId: string
  readonly accountId: string
  readonly subscriberId: string
  readonly from: string
  readonly to: string
  readonly reasonCode: string
  readonly reason?: string | undefined
  readonly at: Date
}

/** Changes that subscribers are notified of (AdCP 3.1, creative/creative-status-changed-webhook.json). */
const NOTIFIED: Readonly<Record<string, readonly string[]>> = {
  processing: ['pending_review', 'rejected'],
  pending_review: ['approved', 'rejected'],
  approved: ['pending_review', 'suspended', 'rejected', 'archived'],
  suspended: ['approved', 'rejected'],
}

/** Words for why a creative changed (AdCP 3.1, enums/creative-event-reason-code.json). */
export const CHANGE_REASONS = [
  ...([
    'review_passed',
    'review_failure',
    'processing_failure',
    'seller_rereview',
    'policy_revocation',
    'content_drift',
  ] as const),
  ...(['identity_authorization_revoked', 'identity_authorization_expired', 'source_private', 'source_deleted'] as const),
  ...(['takedown_request', 'advertiser_request', 'seller_archive', 'account_closed', 'account_suspended'] as const),
  ...(['retention_expired', 'legal_erasure'] as const),
]

/** Longest reason that the schema takes, characters. */
const MAX_REASON = 500

/** Whether subscribers are notified of a change between two statuses. */
export function isToldChange(from: string, to: string): boolean {
  return NOTIFIED[from]?.includes(to) === true
}

/** Why a status changed, in a word of enums/creative-event-reason-code.json. */
export function changeReason(from: string, to: string): string {
  if (to === 'approved') return 'review_passed'
  if (to === 'pending_review') return 'seller_rereview'
  if (to === 'archived') return 'seller_archive'
  return from === 'processing' || from === 'pending_review' ? 'review_failure' : 'policy_revocation'
}

/** The body of a notification as text. */
export function creativeChangeBody(change: CreativeChange, idempotencyKey: string): string {
  const { notificationId, creativeId, accountId, subscriberId, from, to, reasonCode, reason, at } = change
  return JSON.stringify({
    idempotency_key: idempotencyKey,
    notification_id: notificationId,
    notification_type: 'creative.status_changed',
    fired_at: at.toISOString(),
    subscriber_id: subscriberId,
    account_id: accountId,
    creative_id: creativeId,
    transition: { from, to, observed_at: at.toISOString() },
    reason_code: reasonCode,
    ...(reason !== undefined && { reason_detail: reason.slice(0, MAX_REASON) }),
    initiator: 'seller',
  })
}

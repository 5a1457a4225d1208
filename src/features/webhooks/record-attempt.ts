import type { AttemptResult } from '../../domain/webhook/retry.ts'
import { type AttemptSubject, notificationOf, shownAddress } from '../../domain/webhook/webhook-attempt.ts'
import type { Db } from '../../store/database.ts'
import type { LeasedDelivery } from '../../store/webhook/outbox-leases.ts'
import { insertAttempt } from '../../store/webhook/webhook-attempts.ts'
import type { WebhookEndpoint } from '../../store/webhook/webhook-endpoints.ts'

/**
 * Records an attempt for the buyer, when the webhook is a notification about a media buy or a creative and a connection was tried (snapshot-and-log page,
 * "Webhook activity log pattern").
 */
export async function recordAttempt(
  tx: Db,
  endpoint: WebhookEndpoint,
  { body, idempotencyKey, attempt }: Pick<LeasedDelivery, 'body' | 'idempotencyKey' | 'attempt'>,
  { result, firedAt, completedAt }: { readonly result: AttemptResult; readonly firedAt: Date; readonly completedAt: Date },
): Promise<void> {
  if (result.bytes === undefined) return
  const notification = notificationOf(body)
  const subject = notification && subjectOf(endpoint, notification.creativeId)
  if (!subject) return
  const times = { firedAt: firedAt.toISOString(), completedAt: completedAt.toISOString() }
  const { notificationType, subscriberId, sequenceNumber } = notification
  const url = shownAddress(endpoint.url)
  const record = { notificationType, subscriberId, sequenceNumber, idempotencyKey, attempt, ...times, url, result }
  await insertAttempt(tx, endpoint, subject, record)
}

function subjectOf({ kind, mediaBuyId }: WebhookEndpoint, creativeId: string | undefined): AttemptSubject | undefined {
  if (kind === 'account') return creativeId === undefined ? undefined : { kind: 'creative', id: creativeId }
  return mediaBuyId === undefined ? undefined : { kind: 'media_buy', id: mediaBuyId }
}

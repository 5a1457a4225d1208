import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { AdcpError } from '../../protocol/errors.ts'
import {
  type DeliveryPosition,
  type DeliveryState,
  type DeliverySummary,
  findDelivery,
  listDeliveries,
} from '../../store/webhook/outbox.ts'
import type { OperatorContext } from '../operator-context.ts'

export type { DeliveryState }

export interface WebhookQuery {
  readonly tenantId: string
  readonly state?: DeliveryState | undefined
  /** `next_cursor` of the page before. */
  readonly cursor?: string | undefined
  readonly limit: number
}

/** A page of the notifications to buyers, newest first. Throws INVALID_REQUEST for a cursor of another query. */
export async function listWebhooks({ store }: OperatorContext, { tenantId, state, cursor, limit }: WebhookQuery) {
  const bound = ['webhooks', tenantId, state ?? '']
  const after = positionOf(decodeCursor(bound, cursor))
  const found = await listDeliveries(store.read, tenantId, { state, after, limit: limit + 1 })
  const shown = found.slice(0, limit)
  const last = found.length > limit ? shown.at(-1) : undefined
  return {
    webhooks: shown.map(presentDelivery),
    next_cursor: last ? encodeCursor(bound, JSON.stringify([last.createdAt, last.deliveryId])) : null,
  }
}

function positionOf(text: string | undefined): DeliveryPosition | undefined {
  if (text === undefined) return undefined
  const [createdAt, deliveryId]: [string, string] = JSON.parse(text)
  return { createdAt, deliveryId }
}

/** One notification with its body; secrets are never shown. Throws REFERENCE_NOT_FOUND. */
export async function showWebhook({ store }: OperatorContext, tenantId: string, id: string) {
  const found = await findDelivery(store.read, tenantId, id)
  if (!found) throw unknownWebhook(id)
  const { idempotencyKey, orderingKey, position, authentication } = found
  const body: unknown = JSON.parse(found.body)
  return {
    ...presentDelivery(found),
    idempotency_key: idempotencyKey,
    ordering_key: orderingKey,
    position,
    authentication,
    body,
  }
}

export function unknownWebhook(id: string): AdcpError {
  return new AdcpError('REFERENCE_NOT_FOUND', `there is no webhook ${id}`)
}

export function presentDelivery(one: DeliverySummary) {
  return {
    delivery_id: one.deliveryId,
    event: one.event,
    principal: one.principalId,
    url: one.url,
    state: one.state,
    attempts: one.attempts,
    next_attempt_at: one.state === 'pending' ? one.nextAttemptAt : null,
    last_status: one.lastStatus ?? null,
    last_error: one.lastError ?? null,
    created_at: one.createdAt,
    settled_at: one.settledAt ?? null,
  }
}

import { AdcpError } from '../../protocol/errors.ts'
import { type DeliveryState, type DeliverySummary, findDelivery, listDeliveries } from '../../store/webhook/outbox.ts'
import type { OperatorContext } from '../operator-context.ts'

export type { DeliveryState }

/** Notifications to buyers, newest first. `before` is the `created_at` of the last row of the page before. */
export async function listWebhooks(
  { store }: OperatorContext,
  input: {
    readonly tenantId: string
    readonly state?: DeliveryState | undefined
    readonly before?: string | undefined
    readonly limit: number
  },
) {
  const { tenantId, ...filter } = input
  const { state, before, limit } = filter
  return (await listDeliveries(store.read, tenantId, { state, before, limit })).map(presentDelivery)
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

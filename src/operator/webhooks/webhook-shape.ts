import { DELIVERY_STATES } from '../../domain/delivery-state.ts'
import type { DeliverySummary } from '../../store/webhook/outbox.ts'
import { NAMED_BUYER, namedBuyer } from '../named-buyer.ts'
import { about, boolean, integer, moment, named, number, type Of, object, orNull, string, word } from '../shape.ts'

/** What is told of a notification to a buyer. */
export const webhookMembers = {
  delivery_id: string,
  event: string,
  ...NAMED_BUYER,
  url: string,
  state: word(...DELIVERY_STATES),
  redeliverable: about('whether it can be sent again: it is not waiting for its delivery', boolean),
  attempts: integer,
  next_attempt_at: orNull(moment),
  last_status: orNull(number),
  last_error: orNull(string),
  created_at: moment,
  settled_at: orNull(moment),
}

/** A notification to a buyer, and what became of it. */
export const webhook = named('Webhook', object(webhookMembers))

export function presentDelivery(one: DeliverySummary): Of<typeof webhook> {
  return {
    delivery_id: one.deliveryId,
    event: one.event,
    ...namedBuyer(one.principalId),
    url: one.url,
    state: one.state,
    redeliverable: one.state !== 'pending',
    attempts: one.attempts,
    next_attempt_at: one.state === 'pending' ? one.nextAttemptAt : null,
    last_status: one.lastStatus ?? null,
    last_error: one.lastError ?? null,
    created_at: one.createdAt,
    settled_at: one.settledAt ?? null,
  }
}

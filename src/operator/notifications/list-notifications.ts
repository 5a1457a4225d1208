import { AdcpError } from '../../protocol/errors.ts'
import { listMessages } from '../../store/notification/notification-outbox.ts'
import { listPeople } from '../../store/people/people.ts'
import type { OperatorContext } from '../operator-context.ts'
import { personNamed } from './manage-channels.ts'

const MAX_LISTED = 500
const STATES = ['pending', 'delivered', 'dead'] as const

export interface NotificationQuery {
  readonly tenantId: string
  readonly username?: string | undefined
  /** `pending`, `delivered` or `dead` (given up). */
  readonly state?: string | undefined
  /** 1 to 500; default 50. */
  readonly limit?: number | undefined
}

/** Messages to the people of a publisher, newest first. Throws INVALID_REQUEST, REFERENCE_NOT_FOUND for an unknown person. */
export async function listNotifications({ store }: OperatorContext, query: NotificationQuery) {
  const { tenantId, username, limit = 50 } = query
  const state = STATES.find((each) => each === query.state)
  if (query.state !== undefined && !state)
    throw new AdcpError('INVALID_REQUEST', `state is one of ${STATES.join(', ')}`, { field: 'state' })
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= MAX_LISTED))
    throw new AdcpError('INVALID_REQUEST', `limit must be a whole number from 1 to ${MAX_LISTED}`, { field: 'limit' })
  const people = await listPeople(store.read)
  const personId = username === undefined ? undefined : personNamed(people, tenantId, username).personId
  const names = new Map(people.map((each) => [each.personId, each.username]))
  const messages = await listMessages(store.read, tenantId, { personId, state, limit })
  return messages.map((message) => ({
    delivery_id: message.deliveryId,
    username: names.get(message.personId) ?? '',
    channel: message.channel,
    items: message.document.items.map(({ kind, subject, text }) => ({ kind, subject, text })),
    more: message.document.more,
    state: message.state,
    attempts: message.attempts,
    next_attempt_at: message.state === 'pending' ? message.nextAttemptAt : null,
    last_error: message.lastError ?? null,
    created_at: message.createdAt,
    settled_at: message.settledAt ?? null,
  }))
}

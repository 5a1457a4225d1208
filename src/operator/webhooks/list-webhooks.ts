import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { type DeliveryPosition, listDeliveries } from '../../store/webhook/outbox.ts'
import { defineAct } from '../act.ts'
import { STATE } from '../delivery-state.ts'
import { DEFAULT_PAGE, paged } from '../fields.ts'
import { READERS } from '../roles.ts'
import { list, pageOf } from '../shape.ts'
import { presentDelivery, webhook } from './webhook-shape.ts'

/** A page of the notifications to buyers, newest first. Throws INVALID_REQUEST for a cursor of another query. */
export const listWebhooks = defineAct({
  name: 'webhooks.list',
  route: 'GET /webhooks',
  id: 'listWebhooks',
  roles: READERS,
  summary: 'Notifications to buyers, newest first.',
  fields: { state: STATE, ...paged('notifications', 500) },
  answer: pageOf(webhook),
  command: {
    columns: [
      ['ID', (one) => one.delivery_id],
      ['CREATED', (one) => one.created_at],
      ['EVENT', (one) => one.event],
      ['BUYER', (one) => one.buyer],
      ['STATE', (one) => one.state],
      ['TRIES', (one) => String(one.attempts)],
      ['LAST', (one) => one.last_error ?? String(one.last_status ?? '')],
    ],
  },
  async run({ store, tenantId }, { state, cursor, limit = DEFAULT_PAGE }) {
    const bound = ['webhooks', tenantId, state ?? '']
    const after = positionOf(decodeCursor(bound, cursor))
    const found = await listDeliveries(store.read, tenantId, { state, after, limit: limit + 1 })
    const shown = found.slice(0, limit)
    const last = found.length > limit ? shown.at(-1) : undefined
    const next = last ? encodeCursor(bound, JSON.stringify([last.createdAt, last.deliveryId])) : null
    return list(shown.map(presentDelivery), next)
  },
})

function positionOf(text: string | undefined): DeliveryPosition | undefined {
  if (text === undefined) return undefined
  const [createdAt, deliveryId]: [string, string] = JSON.parse(text)
  return { createdAt, deliveryId }
}

import { AdcpError } from '../../protocol/errors.ts'
import { findDelivery, redeliver } from '../../store/webhook/outbox.ts'
import { defineAct } from '../act.ts'
import { SELLERS } from '../roles.ts'
import { object, string, word } from '../shape.ts'
import { unknownWebhook, WEBHOOK } from './show-webhook.ts'

/** Sends a notification again, the same bytes under the same key. Throws REFERENCE_NOT_FOUND, INVALID_STATE while it is still to be delivered. */
export const redeliverWebhook = defineAct({
  name: 'webhooks.redeliver',
  route: 'POST /webhooks/{webhook}/redeliver',
  id: 'redeliverWebhook',
  roles: SELLERS,
  summary: 'Queues a notification for delivery again, the same bytes under the same key.',
  fields: { webhook: WEBHOOK },
  answer: object({ delivery_id: string, state: word('pending') }),
  command: { text: ({ delivery_id: id }) => [`webhook ${id} goes out again as soon as the server runs`] },
  async run({ store, tenantId }, { webhook }) {
    if (!(await findDelivery(store.read, tenantId, webhook))) throw unknownWebhook(webhook)
    await store.transaction(async (tx) => {
      if (await redeliver(tx, tenantId, webhook)) return
      throw new AdcpError('INVALID_STATE', `webhook ${webhook} is waiting for its delivery already`)
    })
    return { delivery_id: webhook, state: 'pending' as const }
  },
})

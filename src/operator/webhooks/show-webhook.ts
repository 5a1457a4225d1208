import { WEBHOOK_PROOFS } from '../../domain/auth-scheme.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findDelivery } from '../../store/webhook/outbox.ts'
import { defineAct } from '../act.ts'
import { required } from '../fields.ts'
import { READERS } from '../roles.ts'
import { anything, number, object, string, word } from '../shape.ts'
import { idText } from '../text-form.ts'
import { presentDelivery, webhookMembers } from './webhook-shape.ts'

export const WEBHOOK = required(idText('id of the notification'))

/** One notification with its body; secrets are never shown. Throws REFERENCE_NOT_FOUND. */
export const showWebhook = defineAct({
  name: 'webhooks.show',
  route: 'GET /webhooks/{webhook}',
  id: 'showWebhook',
  roles: READERS,
  summary: 'One notification with its body; secrets are never shown.',
  fields: { webhook: WEBHOOK },
  answer: object({
    ...webhookMembers,
    idempotency_key: string,
    ordering_key: string,
    position: number,
    authentication: word(...WEBHOOK_PROOFS),
    body: anything,
  }),
  command: {
    text({ idempotency_key: _key, ordering_key: _order, position: _position, authentication: _scheme, body, ...facts }) {
      return [...Object.entries(facts).map(([name, value]) => `${name}: ${value ?? ''}`), JSON.stringify(body, undefined, 2)]
    },
  },
  async run({ store, tenantId }, { webhook }) {
    const found = await findDelivery(store.read, tenantId, webhook)
    if (!found) throw unknownWebhook(webhook)
    const { idempotencyKey, orderingKey, position, authentication } = found
    const body: unknown = JSON.parse(found.body)
    const details = { idempotency_key: idempotencyKey, ordering_key: orderingKey, position, authentication, body }
    return { ...presentDelivery(found), ...details }
  },
})

export function unknownWebhook(id: string): AdcpError {
  return new AdcpError('REFERENCE_NOT_FOUND', `there is no webhook ${id}`, { field: 'webhook' })
}

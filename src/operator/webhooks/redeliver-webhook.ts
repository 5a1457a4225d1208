import { AdcpError } from '../../protocol/errors.ts'
import { findDelivery, redeliver } from '../../store/webhook/outbox.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'
import { unknownWebhook } from './list-webhooks.ts'

/** Sends a notification again, the same bytes under the same key. Throws REFERENCE_NOT_FOUND, INVALID_STATE while it is still to be delivered. */
export async function redeliverWebhook(
  context: OperatorContext,
  { tenantId, id }: { readonly tenantId: string; readonly id: string },
): Promise<void> {
  if (!(await findDelivery(context.store.read, tenantId, id))) throw unknownWebhook(id)
  const store = auditedStore(context, { task: 'webhooks.redeliver', tenant: tenantId, subject: id })
  const isQueued = await store.transaction((tx) => redeliver(tx, tenantId, id))
  if (!isQueued) throw new AdcpError('INVALID_STATE', `webhook ${id} is waiting for its delivery already`)
}

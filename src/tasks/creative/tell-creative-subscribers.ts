import { randomUUID } from 'node:crypto'
import type { Creative } from '../../domain/creative/creative.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { changeReason, isToldChange } from '../../domain/webhook/creative-change.ts'
import type { Db } from '../../store/database.ts'
import { enqueue } from '../../store/webhook/outbox.ts'
import { endpointsOfKind } from '../../store/webhook/webhook-endpoints.ts'

/**
 * Tells the subscribers of the creative's account that the publisher changed its status (AdCP 3.1, `creative.status_changed`); those of all accounts of the
 * agent for a creative that every account has. Runs in the transaction of the change.
 */
export async function tellCreativeSubscribers(
  tx: Db,
  owner: PrincipalRef,
  { before, after, reasonCode }: { readonly before: Creative; readonly after: Creative; readonly reasonCode?: string },
  now: Date,
): Promise<void> {
  const { status: from } = before
  const { status: to, accountId, creativeId, statusReason } = after
  if (!isToldChange(from, to)) return
  const notificationId = `ntf_${randomUUID()}`
  for (const endpoint of await endpointsOfKind(tx, owner, 'account')) {
    const { subscriber } = endpoint.settings
    const isMeant = subscriber?.eventTypes.includes('creative.status_changed') === true
    if (!isMeant || (accountId !== '' && accountId !== endpoint.taskId)) continue
    const change = {
      notificationId,
      creativeId,
      accountId: endpoint.taskId,
      subscriberId: subscriber.id,
      from,
      to,
      reasonCode: reasonCode ?? changeReason(from, to),
      reason: statusReason,
      at: now,
    }
    await enqueue(tx, endpoint, change, now, creativeId)
  }
}

import { randomUUID } from 'node:crypto'
import type { Creative } from '../../domain/creative/creative.ts'
import type { Purge } from '../../domain/creative/purge.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { changeReason, isToldChange } from '../../domain/webhook/creative-change.ts'
import type { Db } from '../../store/database.ts'
import { enqueue } from '../../store/webhook/outbox.ts'
import { endpointsOfKind, type WebhookEndpoint } from '../../store/webhook/webhook-endpoints.ts'

/** Whose creative it is; accounts of an agent of a conformance suite count as one. */
type Owner = PrincipalRef & { readonly conformance?: boolean | undefined }

/** A creative before and after; `reasonCode` and `told` say why, where that does not follow from the change. */
interface Change {
  readonly before: Creative
  readonly after: Creative
  readonly reasonCode?: string | undefined
  readonly told?: string | undefined
}

/**
 * Tells the subscribers of the creative's account that the publisher changed its status (AdCP 3.1, `creative.status_changed`); those of all accounts of the
 * agent for a creative that every account has. Runs in the transaction of the change.
 */
export async function tellCreativeSubscribers(
  tx: Db,
  owner: Owner,
  { before, after, reasonCode, told }: Change,
  now: Date,
): Promise<void> {
  const { status: from } = before
  const { status: to, creativeId, statusReason } = after
  if (!isToldChange(from, to)) return
  const notificationId = `ntf_${randomUUID()}`
  for (const { endpoint, subscriberId } of await subscribersOf(tx, owner, after, 'creative.status_changed')) {
    const change = {
      ...{ notificationId, creativeId, accountId: endpoint.taskId, subscriberId, from, to },
      ...{ reasonCode: reasonCode ?? changeReason(from, to), reason: told ?? statusReason, at: now },
    }
    await enqueue(tx, endpoint, change, now, creativeId)
  }
}

/** Notifies the same subscribers that a creative was destroyed (AdCP 3.1, `creative.purged`). Runs in the transaction of the purge. */
export async function notifyOfPurge(tx: Db, owner: Owner, creative: Creative, purge: Purge, now: Date): Promise<void> {
  const { creativeId: purgedCreativeId } = creative
  const notificationId = `ntf_${randomUUID()}`
  for (const { endpoint, subscriberId } of await subscribersOf(tx, owner, creative, 'creative.purged')) {
    const event = { notificationId, purgedCreativeId, accountId: endpoint.taskId, subscriberId, purge, at: now }
    await enqueue(tx, endpoint, event, now, purgedCreativeId)
  }
}

/** Endpoints that get events of one type about a creative. */
async function subscribersOf(
  tx: Db,
  owner: Owner,
  { accountId }: Creative,
  eventType: string,
): Promise<{ readonly endpoint: WebhookEndpoint; readonly subscriberId: string }[]> {
  const endpoints = await endpointsOfKind(tx, owner, 'account')
  return endpoints.flatMap((endpoint) => {
    const { subscriber } = endpoint.settings
    const isAccount = owner.conformance || accountId === '' || accountId === endpoint.taskId
    const isMeant = isAccount && subscriber?.eventTypes.includes(eventType) === true
    return isMeant ? [{ endpoint, subscriberId: subscriber.id }] : []
  })
}

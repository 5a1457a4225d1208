import { randomUUID } from 'node:crypto'
import type { UpdateMediaBuyRequest } from '@adcp/sdk/types'
import type { Store } from '../../store/database.ts'
import type { TenantOrder } from '../../store/media-buy/order-list.ts'
import type { ApprovalServices } from '../approvals/carry-out.ts'
import { buyerContext } from './buyer-context.ts'
import { changeCommitment } from './governed-order.ts'
import {
  type ChangeContext,
  changeOrder,
  type PlannedUpdate,
  planUpdate,
  presentChange,
  recordUpdate,
  restoreOrder,
} from './plan-update.ts'

/** What a publisher may change of an order by itself: it never raises what the buyer pays. */
export type PublisherChange = Pick<UpdateMediaBuyRequest, 'paused' | 'end_time' | 'revision' | 'ext'> & {
  readonly canceled?: true
  readonly packages?: { readonly package_id: string; readonly paused: boolean }[]
}

/** Who changes an order for the publisher, and why; the buyer gets the reason. */
export interface PublisherDecision {
  readonly person: string
  readonly reason: string | undefined
  readonly now: Date
}

/** A planned change with what carrying it out takes. */
export interface PlannedChange extends PlannedUpdate {
  readonly request: UpdateMediaBuyRequest
  readonly context: ChangeContext
}

/**
 * Plans a change by the publisher with the rules of update_media_buy, for a suspended buyer too; nothing is changed yet. Throws what update_media_buy
 * throws: INVALID_STATE, NOT_CANCELLABLE, CONFLICT for another revision, INVALID_REQUEST for a wrong date.
 */
export async function planPublisherChange(
  services: ApprovalServices,
  tenantId: string,
  order: TenantOrder,
  change: PublisherChange,
  { person, reason, now }: PublisherDecision,
): Promise<PlannedChange> {
  const { buy } = order
  const buyer = await buyerContext(services, tenantId, order, now)
  const context: ChangeContext = { ...buyer, publisher: { name: buyer.tenant.name, person, reason } }
  const { canceled, ...rest } = change
  const request: UpdateMediaBuyRequest = {
    ...rest,
    ...(canceled && { canceled, ...(reason !== undefined && { cancellation_reason: reason }) }),
    media_buy_id: buy.mediaBuyId,
    account: { account_id: buy.accountId },
    idempotency_key: randomUUID(),
  }
  return { ...(await planUpdate(request, context)), request, context }
}

/**
 * Carries out a planned change the way of a buyer's own: ad server first, then order, inventory and the notification of its followers in one transaction.
 * Asks who governs the buyer's money when the commitment changes. Throws CONFLICT when another change came first, and what the ad server and governance throw.
 */
export async function carryOutPublisherChange(store: Store, planned: PlannedChange): Promise<void> {
  const { context, request, before, update } = planned
  const { governance } = context.services
  const commitment = changeCommitment(request, before, update.buy)
  const governed = commitment && (await governance.check(context, commitment))
  const anchor = `publisher:${request.idempotency_key}`
  const changed = await changeOrder(context, anchor, planned)
  try {
    await store.transaction(async (tx) => {
      if (governed && commitment) await governance.record(tx, context, commitment, governed)
      await recordUpdate(tx, context, changed)
      await presentChange(tx, context, changed)
    })
  } catch (error) {
    await restoreOrder(context, `${anchor}:undo`, planned)
    throw error
  }
}

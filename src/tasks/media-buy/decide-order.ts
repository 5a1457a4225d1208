import type { AdServer } from '../../adapters/adapter.ts'
import { presentCreated } from '../../domain/media-buy/present.ts'
import { AdcpError } from '../../errors.ts'
import { findAccount } from '../../store/accounts.ts'
import type { CatalogueCache } from '../../store/catalogue-cache.ts'
import type { Store } from '../../store/database.ts'
import { findPrincipal, findTenant } from '../../store/principals.ts'
import { deleteSubmittedOrder, getSubmittedOrder } from '../../store/submitted-orders.ts'
import { advanceTask, getTask, type StoredTask } from '../../store/tasks.ts'
import { creativeFactsOf } from './creative-facts.ts'
import { lineOrders, requireAvailability, withBooking } from './orders.ts'
import { recordOrder } from './record-order.ts'

/** What deciding on an order needs. */
export interface DecisionServices {
  readonly store: Store
  readonly adServer: AdServer
  readonly catalogue: CatalogueCache
}

/**
 * The seller approves a submitted order: it is booked on the terms it was planned with, and its task completes with the media buy. Throws
 * REFERENCE_NOT_FOUND when no such order waits, PRODUCT_UNAVAILABLE when the inventory is gone; then it keeps waiting.
 */
export async function approveOrder(
  { store, adServer, catalogue }: DecisionServices,
  tenantId: string,
  taskId: string,
  now: Date,
): Promise<StoredTask> {
  const order = await getSubmittedOrder(store.read, tenantId, taskId)
  const owner = { tenantId, principalId: order.principalId }
  const [tenant, row] = [await findTenant(store.read, tenantId), await findPrincipal(store.read, tenantId, order.principalId)]
  if (!tenant || !row) throw new AdcpError('REFERENCE_NOT_FOUND', 'the agent that ordered is gone', { field: 'task_id' })
  const principal = { ...owner, sandbox: row.sandbox === 1 }
  const account = await findAccount(store.read, owner, order.buy.accountId)
  const context = { principal, account, services: { adServer }, db: store.read, now }
  const { byId: products } = await catalogue.get(store.read, tenant, principal)
  await requireAvailability(context, order.buy.packages, products)
  const booking = await adServer.book(`approval:${tenantId}:${taskId}`, order.buy.mediaBuyId, lineOrders(order.buy.packages))
  const buy = { ...withBooking(order.buy, booking), confirmedAt: now.toISOString() }
  try {
    return await store.transaction(async (tx) => {
      await deleteSubmittedOrder(tx, tenantId, taskId)
      await recordOrder(tx, context, { ...order, buy, products })
      const creatives = await creativeFactsOf(tx, principal, [buy])
      const result = presentCreated(buy, { creatives, now, account: account?.document, idempotencyKey: order.idempotencyKey })
      return advanceTask(tx, owner, await getTask(tx, owner, taskId), { status: 'completed', result }, now)
    })
  } catch (error) {
    // Whoever approved at the same moment has the same order; anybody else's decision leaves it without an owner.
    const { status } = await getTask(store.read, owner, taskId)
    if (status !== 'completed') await adServer.cancel(`approval:${tenantId}:${taskId}`, booking.orderId)
    throw error
  }
}

/** The seller declines a submitted order: its task ends as rejected, with the reason. Throws REFERENCE_NOT_FOUND when no such order waits. */
export async function rejectOrder(
  { store }: Pick<DecisionServices, 'store'>,
  tenantId: string,
  taskId: string,
  reason: string,
  now: Date,
): Promise<StoredTask> {
  const { principalId } = await getSubmittedOrder(store.read, tenantId, taskId)
  const owner = { tenantId, principalId }
  return store.transaction(async (tx) => {
    await deleteSubmittedOrder(tx, tenantId, taskId)
    const error = { code: 'POLICY_VIOLATION', message: reason }
    return advanceTask(tx, owner, await getTask(tx, owner, taskId), { status: 'rejected', message: reason, error }, now)
  })
}

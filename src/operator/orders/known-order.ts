import { findOrderRow } from '../../store/order/orders.ts'
import type { OrderOrigin } from '../../store/order/rows.ts'
import type { ActContext } from '../act.ts'
import { findOrder } from './find-order.ts'

/** An order of any origin, and whom it is billed to: an account, an advertiser or an agency; '': nobody. Throws REFERENCE_NOT_FOUND. */
export async function knownOrder(
  context: ActContext,
  orderId: string,
): Promise<{ readonly origin: OrderOrigin; readonly billingParty: string }> {
  const { store, tenantId } = context
  const row = await findOrderRow(store.read, tenantId, orderId)
  if (row) return { origin: row.origin, billingParty: row.party }
  return { origin: 'buyer', billingParty: (await findOrder(context, tenantId, orderId)).buy.accountId }
}

import { lineIdInOrder } from '../../domain/billing/line-id.ts'
import type { OrderOrigin } from '../../domain/order/order-origin.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../../store/database.ts'
import { findAdoptedOrder } from '../../store/order/adopted-orders.ts'
import { type EnteredLine, linesOfEnteredOrders } from '../../store/order/entered-orders.ts'
import { findOrderRow, type OrderRow } from '../../store/order/orders.ts'
import type { ActContext } from '../act.ts'
import { findOrder } from './find-order.ts'

/** An order of any origin, its currency, and whom it is billed to: an account, an advertiser or an agency; '': nobody. Throws REFERENCE_NOT_FOUND. */
export async function knownOrder(
  context: ActContext,
  orderId: string,
): Promise<{ readonly origin: OrderOrigin; readonly billingParty: string; readonly currency: string }> {
  const { store, tenantId } = context
  const row = await findOrderRow(store.read, tenantId, orderId)
  if (row) return { origin: row.origin, billingParty: row.party, currency: row.currency }
  const { accountId, currency } = (await findOrder(context, tenantId, orderId)).buy
  return { origin: 'buyer', billingParty: accountId, currency }
}

/** An adopted order. Throws REFERENCE_NOT_FOUND for one of another origin too. */
export async function requireAdoptedOrder(db: Db, tenantId: string, orderId: string): Promise<OrderRow> {
  const row = await findAdoptedOrder(db, tenantId, orderId)
  if (!row) throw new AdcpError('REFERENCE_NOT_FOUND', `${tenantId} has no adopted order ${orderId}`, { field: 'order' })
  return row
}

/** What a charge of an order needs to know of it. */
export interface ChargedOrder {
  readonly currency: string
  readonly lines: readonly EnteredLine[]
}

/** An order of any origin that somebody pays for. Throws REFERENCE_NOT_FOUND, INVALID_STATE for one that is not paid for. */
export async function chargedOrder(context: ActContext, orderId: string): Promise<ChargedOrder> {
  const { store, tenantId } = context
  const row = await findOrderRow(store.read, tenantId, orderId)
  if (row) {
    if (row.party === '') throw unpaid('it is a house order, or has no billing party')
    return { currency: row.currency, lines: (await linesOfEnteredOrders(store.read, tenantId, [orderId])).get(orderId) ?? [] }
  }
  const { buy, sandbox } = await findOrder(context, tenantId, orderId)
  if (sandbox) throw unpaid('its money is simulated')
  return { currency: buy.currency, lines: buy.packages.map(({ packageId: lineId, productId }) => ({ lineId, productId })) }
}

/**
 * The line of an order that people mean: by its id, or by the id that its order gives it. Throws REFERENCE_NOT_FOUND, field `line`, naming the ids.
 */
export function soldLine({ lines }: Pick<ChargedOrder, 'lines'>, orderId: string, line: string): EnteredLine {
  const found = lines.find(({ lineId }) => lineId === line || lineIdInOrder(orderId, lineId) === line)
  if (found) return found
  const known = lines.map(({ lineId }) => lineIdInOrder(orderId, lineId))
  throw new AdcpError('REFERENCE_NOT_FOUND', `the order has no line ${line}; its lines: ${known.join(', ')}`, { field: 'line' })
}

function unpaid(why: string): AdcpError {
  return new AdcpError('INVALID_STATE', `the order costs nobody money: ${why}`, { field: 'order' })
}

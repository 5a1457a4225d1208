import { AdcpError } from '../../protocol/errors.ts'
import { quoted } from '../../protocol/nearest-name.ts'
import { findTenantOrders } from '../../store/media-buy/order-list.ts'
import { findOrderRow } from '../../store/order/orders.ts'
import { type ObservedOrder, type OrderInStatus, observeOrders, statusesOfOrders } from '../../tasks/media-buy/observe-orders.ts'
import type { OperatorContext } from '../operator-context.ts'

/** Why an order of the list was not bought by a buyer, and which commands are for it. */
const KEPT_BY = {
  entered: 'was entered by your people, not bought: direct-orders show, pause, resume, end and cancel are for it',
  adopted: 'was booked in an ad server, not bought: adopted-orders show is for it, and changes of it are made there',
}

/** An order of a publisher by id, of any buyer. Throws REFERENCE_NOT_FOUND. */
export async function findOrder(context: OperatorContext, tenantId: string, mediaBuyId: string): Promise<OrderInStatus> {
  const { store, config, clock } = context
  const observer = { tenantId, now: clock(), conformance: config.conformance }
  const [order] = await statusesOfOrders(store.read, observer, await findTenantOrders(store.read, tenantId, [mediaBuyId]))
  if (order) return order
  const row = await findOrderRow(store.read, tenantId, mediaBuyId)
  const why = row
    ? `order ${quoted(mediaBuyId)} ${KEPT_BY[row.origin === 'adopted' ? 'adopted' : 'entered']}`
    : `there is no order ${quoted(mediaBuyId)}; orders list shows the ids`
  throw new AdcpError('REFERENCE_NOT_FOUND', why, { field: 'media_buy_id' })
}

/** The same with its delivery. Throws SERVICE_UNAVAILABLE too, when the ad server does not report. */
export async function findObservedOrder(context: OperatorContext, tenantId: string, mediaBuyId: string): Promise<ObservedOrder> {
  const order = await findOrder(context, tenantId, mediaBuyId)
  const observer = { tenantId, now: context.clock(), conformance: context.config.conformance }
  const [observed] = await observeOrders({ db: context.store.read, adServers: await context.services.adServers() }, observer, [
    order,
  ])
  if (!observed) throw new Error(`order ${mediaBuyId} was not observed`)
  return observed
}

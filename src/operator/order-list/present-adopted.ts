import { groupBy } from '../../domain/group-by.ts'
import { microsToAmount } from '../../domain/money.ts'
import { statusOfAdopted, wholeOf } from '../../domain/order/adopted-line.ts'
import { adoptedOrderOf } from '../../store/order/adopted-orders.ts'
import { findOrderTerms } from '../../store/order/order-terms.ts'
import type { OrderRow } from '../../store/order/orders.ts'
import type { ActContext } from '../act.ts'
import { countedAdoptedLines, progressOfAdoptedOrder } from '../adopted-lines.ts'
import { presentFlight, publisherCalendar } from '../flight.ts'
import type { ReadOrder } from './listed-order.ts'

/** Adopted orders as rows of the list, by their ids. */
export async function presentAdoptedOrders(
  context: ActContext,
  orders: readonly OrderRow[],
): Promise<ReadonlyMap<string, ReadOrder>> {
  const { store, tenantId, clock } = context
  if (orders.length === 0) return new Map()
  const [now, zone] = [clock(), await publisherCalendar(context, tenantId)]
  const orderIds = orders.map(({ order_id: id }) => id)
  const terms = await findOrderTerms(store.read, tenantId, orderIds)
  const lines = groupBy(await countedAdoptedLines(store.read, tenantId, { orderIds }), ({ order }) => order.order_id)
  return new Map(
    orders.map((row): [string, ReadOrder] => {
      const own = lines.get(row.order_id) ?? []
      const whole = wholeOf(own.map(({ line }) => line))
      const sum = (of: 'impressions' | 'spendMicros') => own.reduce((all, { counted }) => all + counted[of], 0)
      const { adoptions } = adoptedOrderOf(row)
      return [
        row.order_id,
        {
          ...{
            origin: row.origin,
            order_id: row.order_id,
            media_buy_id: row.order_id,
            status: statusOfAdopted(whole, now),
            paused: whole.state === 'paused',
          },
          ...{ buyer: null, buyer_name: null, sandbox: false, account: row.party, advertiser: row.advertiser, name: row.name },
          po_number: terms.get(row.order_id)?.poNumber ?? null,
          ...{ products: [], currency: row.currency },
          budget: row.budget_micros === Number.MAX_SAFE_INTEGER ? null : microsToAmount(row.budget_micros),
          ...{ spent: microsToAmount(sum('spendMicros')), impressions: sum('impressions') },
          pacing: progressOfAdoptedOrder(own, now),
          ...{ starts_at: whole.startsAt, ends_at: whole.endsAt, flight: presentFlight(whole, zone), created_at: row.created_at },
          ...{ updated_at: adoptions.at(-1)?.at ?? row.created_at, revision: adoptions.length },
        },
      ]
    }),
  )
}

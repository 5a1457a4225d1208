import { statusOfDirectOrder } from '../../ad-serving/embedded/direct-status.ts'
import { groupBy } from '../../domain/group-by.ts'
import { LIVE_STATUSES } from '../../domain/media-buy/lifecycle.ts'
import { statusOfAdopted, wholeOf } from '../../domain/order/adopted-line.ts'
import { ORIGINS } from '../../domain/order/order-origin.ts'
import type { Db } from '../../store/database.ts'
import { findEmbeddedOrders } from '../../store/embedded/orders.ts'
import { listTenantOrderIds } from '../../store/media-buy/order-list.ts'
import { listEnteredOrders } from '../../store/order/entered-orders.ts'
import type { OrderRow } from '../../store/order/orders.ts'
import { countedAdoptedLines } from '../adopted-lines.ts'

/** Orders that are read together. */
const PAGE = 200
const OF_PEOPLE = ORIGINS.filter((origin) => origin !== 'buyer')

/** Ids of the first orders of a publisher, of every origin, that run or will; `most` of each road at most. */
export async function liveOrders(db: Db, tenantId: string, now: Date, most: number): Promise<readonly string[]> {
  const order = { sort: 'ends_at', descending: false } as const
  const page = { ...order, after: undefined, limit: most }
  const live = await listTenantOrderIds(db, tenantId, { statuses: LIVE_STATUSES, now }, page)
  const asked = { from: now.toISOString(), words: [] }
  let after: { readonly value: string; readonly mediaBuyId: string } | undefined
  for (let found = 0; found < most; ) {
    const rows = await listEnteredOrders(db, tenantId, asked, { ...order, after, limit: PAGE }, OF_PEOPLE)
    const running = await liveOf(db, tenantId, rows, now)
    live.push(...running.slice(0, most - found))
    found += running.length
    const last = rows.at(-1)
    if (!last || rows.length < PAGE) break
    after = { value: last.ends_at, mediaBuyId: last.order_id }
  }
  return live
}

/** Those that are not over: an order may have been ended before its last day. */
async function liveOf(db: Db, tenantId: string, rows: readonly OrderRow[], now: Date): Promise<readonly string[]> {
  if (rows.length === 0) return []
  const ids = (origin: OrderRow['origin'], name: 'order_id' | 'external_id') =>
    rows.flatMap((row) => (row.origin === origin ? [row[name]] : []))
  const booked = await findEmbeddedOrders(db, tenantId, ids('entered', 'external_id'))
  const adopted = await countedAdoptedLines(db, tenantId, { orderIds: ids('adopted', 'order_id') })
  const linesOf = groupBy(adopted, ({ order }) => order.order_id)
  return rows
    .filter((row) => {
      // Lines tell whether an order waits for creatives: one that does is not over either.
      const direct = booked.get(row.external_id)
      const own = linesOf.get(row.order_id) ?? []
      const status =
        row.origin === 'adopted'
          ? statusOfAdopted(wholeOf(own.map(({ line }) => line)), now)
          : direct && statusOfDirectOrder(direct, [], now)
      return status !== undefined && LIVE_STATUSES.includes(status)
    })
    .map((row) => row.order_id)
}

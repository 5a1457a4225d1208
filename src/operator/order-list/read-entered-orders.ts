import { directRecordOf } from '../../ad-serving/embedded/direct-record.ts'
import { DIRECT_STATUSES } from '../../ad-serving/embedded/direct-status.ts'
import { sumDays } from '../../domain/media-buy/delivery.ts'
import { LIVE_STATUSES } from '../../domain/media-buy/lifecycle.ts'
import { microsToAmount } from '../../domain/money.ts'
import type { OrderOrigin } from '../../domain/order/order-origin.ts'
import { daysOfPackages } from '../../store/ad-serving/delivery-sums.ts'
import { findEmbeddedOrders } from '../../store/embedded/orders.ts'
import type { AskedOrders } from '../../store/media-buy/asked-orders.ts'
import type { OrderPage, OrderPosition } from '../../store/media-buy/order-list.ts'
import { linesOfEnteredOrders, listEnteredOrders } from '../../store/order/entered-orders.ts'
import { findOrderTerms } from '../../store/order/order-terms.ts'
import type { OrderRow } from '../../store/order/orders.ts'
import type { ActContext } from '../act.ts'
import { presentDirectOrders } from '../direct-orders/present-direct-order.ts'
import type { ReadOrder } from './listed-order.ts'
import type { ReadList } from './merge-lists.ts'
import { presentAdoptedOrders } from './present-adopted.ts'

/** Orders that people entered or adopted (`origins`), with their delivery as the ledger has it; `after`: where the list goes on. Statuses that are asked for narrow the page that was read. */
export async function readEnteredOrders(
  context: ActContext,
  filter: AskedOrders,
  wanted: readonly string[] | undefined,
  page: OrderPage,
  origins: readonly OrderOrigin[],
): Promise<ReadList<ReadOrder>> {
  const { tenantId, store, services, clock } = context
  const statuses = wanted?.length === 0 ? undefined : wanted
  const narrowed = narrowedBy(statuses, filter, clock().toISOString())
  const found = narrowed ? await listEnteredOrders(store.read, tenantId, narrowed, page, origins) : []
  const last = found.at(-1)
  const after = last && found.length === page.limit ? positionIn(page, last) : undefined
  const { importOnRead } = await services.adServers()
  if (found.length > 0)
    await importOnRead(
      tenantId,
      found.map((row) => ({ mediaBuyId: row.external_id, orderId: `${row.ad_server}:` })),
    )
  const shown = new Map([
    ...(await present(
      context,
      found.filter(({ origin }) => origin === 'entered'),
    )),
    ...(await presentAdoptedOrders(
      context,
      found.filter(({ origin }) => origin === 'adopted'),
    )),
  ])
  const rows = found.flatMap((row) => {
    const order = shown.get(row.order_id)
    return order && (statuses?.includes(order.status) ?? true) ? [{ position: positionIn(page, row), row: order }] : []
  })
  return { rows, after }
}

/** The filter with what statuses say of the flight; undefined where no order has any of them. */
function narrowedBy(statuses: readonly string[] | undefined, filter: AskedOrders, now: string): AskedOrders | undefined {
  if (statuses === undefined) return filter
  const known = DIRECT_STATUSES.filter((status) => statuses.includes(status))
  if (known.length === 0) return undefined
  if (known.every((status) => LIVE_STATUSES.includes(status)))
    return { ...filter, from: filter.from === undefined || filter.from < now ? now : filter.from }
  return known.every((status) => status === 'completed') ? { ...filter, endsBefore: now } : filter
}

function positionIn({ sort }: OrderPage, row: OrderRow): OrderPosition {
  return { value: row[sort], mediaBuyId: row.order_id }
}

async function present(context: ActContext, rows: readonly OrderRow[]): Promise<ReadonlyMap<string, ReadOrder>> {
  const { tenantId, store } = context
  const ids = rows.map(({ order_id: id }) => id)
  const booked = await findEmbeddedOrders(
    store.read,
    tenantId,
    rows.map(({ external_id: id }) => id),
  )
  const direct = new Map((await presentDirectOrders(context, [...booked.values()])).map((order) => [order.order_id, order]))
  const lines = await linesOfEnteredOrders(store.read, tenantId, ids)
  const terms = await findOrderTerms(store.read, tenantId, ids)
  const days = await daysOfPackages(
    store.read,
    tenantId,
    [...lines.values()].flatMap((own) => own.map(({ lineId }) => lineId)),
  )
  return new Map(
    rows.flatMap((row): [string, ReadOrder][] => {
      const [order, at] = [direct.get(row.order_id), booked.get(row.external_id)]
      if (!order || !at) return []
      const own = lines.get(row.order_id) ?? []
      const { total } = sumDays(own.flatMap(({ lineId }) => days.get(lineId) ?? []))
      return [
        [
          row.order_id,
          {
            ...{ origin: row.origin, order_id: row.order_id, media_buy_id: row.order_id },
            ...{ status: order.status, paused: order.state === 'paused' },
            ...{ buyer: null, buyer_name: null, sandbox: false, account: row.party, advertiser: row.advertiser, name: row.name },
            po_number: terms.get(row.order_id)?.poNumber ?? null,
            products: [...new Set(own.map(({ productId }) => productId))],
            currency: row.currency,
            budget: row.budget_micros === Number.MAX_SAFE_INTEGER ? null : microsToAmount(row.budget_micros),
            spent: microsToAmount(total.spendMicros),
            impressions: total.impressions,
            pacing: order.pacing,
            ...{ starts_at: row.starts_at, ends_at: row.ends_at, flight: order.flight, created_at: row.created_at },
            updated_at: directRecordOf(at).history.at(-1)?.at ?? row.created_at,
            revision: directRecordOf(at).revision,
          },
        ],
      ]
    }),
  )
}

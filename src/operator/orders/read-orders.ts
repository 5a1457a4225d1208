import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { totalBudgetMicros } from '../../domain/media-buy/create.ts'
import type { MediaBuyStatus } from '../../domain/product/media-buy-status.ts'
import { giveWay, yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { AskedOrders } from '../../store/media-buy/asked-orders.ts'
import { isIndexed } from '../../store/media-buy/order-filter.ts'
import {
  listTenantOrders,
  type OrderFilter,
  type OrderPosition,
  type OrderSort,
  positionIn,
  scanTenantOrders,
} from '../../store/media-buy/order-list.ts'
import { type OrderInStatus, observeOrders, statusesOfOrders } from '../../tasks/media-buy/observe-orders.ts'
import { DEFAULT_PAGE } from '../fields.ts'
import { publisherCalendar } from '../flight.ts'
import type { OperatorContext } from '../operator-context.ts'
import { searchWords } from '../search-words.ts'
import type { BuyerOrder } from './order-shapes.ts'
import { presentBuyerOrder } from './present-order.ts'

/** What orders can be sorted by; first the default. */
export const SORTS = ['created', 'end', 'budget'] as const
export const ORDER_SORTS: Readonly<Record<(typeof SORTS)[number], OrderSort>> = {
  ...{ created: 'created_at', end: 'ends_at', budget: 'budget_micros' },
}

export type OrderQuery = Omit<AskedOrders, 'words'> & {
  readonly tenantId: string
  readonly statuses?: readonly MediaBuyStatus[] | undefined
  /** Words, each part of an id, the buyer, the account, the advertiser's domain, the purchase order number or a product id. */
  readonly search?: string | undefined
  /** Default: created. */
  readonly sort?: keyof typeof ORDER_SORTS | undefined
  /** Default: newest, latest or largest first. */
  readonly ascending?: boolean | undefined
  /** `next_cursor` of the page before, of the same query. */
  readonly cursor?: string | undefined
  /** 1 to 200; default 50. */
  readonly limit?: number | undefined
}

/** A page of orders. It may be shorter than the limit, or empty, and still have a next one: a page looks through so many orders at most. */
export interface OrderList {
  readonly orders: readonly BuyerOrder[]
  readonly next_cursor: string | null
}

/** Orders that one page looks at: whether creatives are there is not in the index, so that some orders are read and left out. */
const MAX_READ = 500

/**
 * A page of the orders of a publisher over all of its buyers, with delivery and pacing. Throws INVALID_REQUEST for an unknown status, a search that is too
 * long and a cursor of another query; SERVICE_UNAVAILABLE when an ad server does not report.
 */
export async function readOrders(context: OperatorContext, query: OrderQuery): Promise<OrderList> {
  const { cursor, limit = DEFAULT_PAGE, ...asked } = query
  const bound = ['orders', asked]
  const { rows, after } = await readOrdersAfter(context, query, positionsOf(decodeCursor(bound, cursor))[0], limit)
  return { orders: rows.map(({ row }) => row), next_cursor: after ? encodeCursor(bound, positionsText([after])) : null }
}

/** Orders of buyers after a position; `after`: where the list goes on. */
export async function readOrdersAfter(
  context: OperatorContext,
  query: OrderQuery,
  position: OrderPosition | undefined,
  limit: number,
): Promise<{
  readonly rows: readonly { readonly position: OrderPosition; readonly row: BuyerOrder }[]
  readonly after: OrderPosition | undefined
}> {
  const { config, store, clock } = context
  const { tenantId } = query
  const now = clock()
  const observer = { tenantId, now, conformance: config.conformance }
  const zone = await publisherCalendar(context, tenantId)
  const sort = ORDER_SORTS[query.sort ?? 'created']
  const rows: { readonly position: OrderPosition; readonly row: BuyerOrder }[] = []
  let after: OrderPosition | undefined
  const adServers = await context.services.adServers()
  for await (const part of readInParts(store.read, observer, query, { after: position, limit })) {
    after = part.after
    for (const order of await observeOrders({ db: store.read, adServers }, observer, part.orders)) {
      const place = positionIn(sort, order, totalBudgetMicros(order.buy))
      rows.push({ position: place, row: presentBuyerOrder(order, { now, zone }) })
      await giveWay()
    }
  }
  return { rows, after }
}

interface Page {
  readonly orders: readonly OrderInStatus[]
  /** Where the list goes on; undefined: at its end. */
  readonly after: OrderPosition | undefined
}

/** A page of the list in parts, with turns for others between: columns narrow the statuses, creatives decide. The last part says where the list goes on. */
async function* readInParts(
  db: OperatorContext['store']['read'],
  observer: Parameters<typeof statusesOfOrders>[1],
  query: OrderQuery,
  { after, limit }: { readonly after: OrderPosition | undefined; readonly limit: number },
): AsyncGenerator<Page> {
  const { tenantId } = observer
  const filter = filterOf(query, observer.now)
  const sort = ORDER_SORTS[query.sort ?? 'created']
  const list = (await isIndexed(db, tenantId, filter)) ? listTenantOrders : scanTenantOrders
  let position = after
  let left = limit
  let last: OrderPosition | undefined
  for (let read = 0; read < MAX_READ; ) {
    const page = { sort, descending: query.ascending !== true, after: position, limit: left + 1 }
    const found = await list(db, tenantId, filter, page)
    const orders = (await statusesOfOrders(db, observer, found.orders)).filter(
      ({ status, buy }) =>
        (filter.statuses?.includes(status) ?? true) && (query.advertiser === undefined || buy.brand?.domain === query.advertiser),
    )
    const shown = orders.slice(0, left)
    last = placeOf(sort, shown.at(-1)) ?? last
    if (orders.length > left) return yield { orders: shown, after: last }
    yield { orders: shown, after: found.end }
    if (found.end === undefined || (!found.isCut && found.orders.length <= left)) return
    left -= shown.length
    read += found.orders.length
    position = found.end
    await yieldToEventLoop()
  }
}

function placeOf(sort: OrderSort, order: Parameters<typeof positionIn>[1] | undefined): OrderPosition | undefined {
  return order && positionIn(sort, order, totalBudgetMicros(order.buy))
}

function filterOf({ statuses, search, ...asked }: OrderQuery, now: Date): OrderFilter {
  return {
    ...asked,
    ...(statuses && statuses.length > 0 && { statuses }),
    ...(search !== undefined && { words: searchWords(search) }),
    now,
  }
}

/** Positions as text behind a cursor. */
export function positionsText(positions: readonly (OrderPosition | undefined)[]): string {
  return JSON.stringify(positions.map((position) => (position ? [position.value, position.mediaBuyId] : null)))
}

/** The positions that a text stands for; none without one. */
export function positionsOf(text: string | undefined): readonly (OrderPosition | undefined)[] {
  const parsed: ([string | number, string] | null)[] = JSON.parse(text ?? '[]')
  return parsed.map((each) => (each ? { value: each[0], mediaBuyId: each[1] } : undefined))
}

import { flightDayText } from '../../domain/calendar/flight-days.ts'
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { totalBudgetMicros } from '../../domain/media-buy/create.ts'
import { TRANSITIONS } from '../../domain/media-buy/lifecycle.ts'
import type { MediaBuyStatus } from '../../domain/media-buy/media-buy.ts'
import { isIndexed } from '../../store/media-buy/order-filter.ts'
import {
  listTenantOrders,
  type OrderFilter,
  type OrderPosition,
  type OrderSort,
  positionIn,
  SCANNED_ORDERS,
  scanTenantOrders,
} from '../../store/media-buy/order-list.ts'
import { type OrderInStatus, observeOrders, statusesOfOrders } from '../../tasks/media-buy/observe-orders.ts'
import { OF_ACCOUNT } from '../accounts/list-accounts.ts'
import { defineAct } from '../act.ts'
import { amountText } from '../amount.ts'
import { DEFAULT_PAGE, exact, flag, oneOf, paged, someOf, text } from '../fields.ts'
import { publisherCalendar } from '../flight.ts'
import type { OperatorContext } from '../operator-context.ts'
import { READERS } from '../roles.ts'
import { searchWords } from '../search-words.ts'
import { list, pageOf } from '../shape.ts'
import { percent } from '../text-table.ts'
import { type OrderRow, orderRow } from './order-shapes.ts'
import { presentOrderRow } from './present-order.ts'

export { SCANNED_ORDERS }

/** Orders of a page at most. */
const MAX_LIMIT = 200

/** Every status of an order, as `status` takes them. */
export const ORDER_STATUSES: readonly MediaBuyStatus[] = Object.keys(TRANSITIONS).filter(isStatus)

/** What orders can be sorted by. */
export const ORDER_SORTS = { created: 'created_at', end: 'ends_at', budget: 'budget_micros' } as const satisfies Record<
  string,
  OrderSort
>

const SORTS = ['created', 'end', 'budget'] as const satisfies readonly (keyof typeof ORDER_SORTS)[]

/** `sales-agent orders list`, `GET /orders` and the page of orders. */
export const listOrders = defineAct({
  name: 'orders.list',
  route: 'GET /orders',
  id: 'listOrders',
  roles: READERS,
  summary: 'Orders of all buyers, newest first, by pages.',
  fields: {
    status: someOf(ORDER_STATUSES, `of ${ORDER_STATUSES.join(', ')}`),
    buyer: text('of one buyer, by its id'),
    account: OF_ACCOUNT,
    product: exact(text('with this product')),
    search: text('words: parts of ids, buyer, advertiser, purchase order, product'),
    sort: oneOf(SORTS, 'default: created'),
    ascending: flag('oldest, earliest or smallest first'),
    ...paged('orders', MAX_LIMIT),
  },
  answer: pageOf(orderRow),
  command: {
    columns: [
      ['ORDER', (order) => order.media_buy_id],
      ['STATUS', (order) => order.status],
      ['BUYER', (order) => order.buyer],
      ['ADVERTISER', (order) => order.advertiser ?? ''],
      ['BUDGET', (order) => `${amountText(order.budget, order.currency)} ${order.currency}`],
      ['SPENT', (order) => amountText(order.spent, order.currency)],
      ['DELIVERED', (order) => percent(order.pacing.delivered)],
      ['PLAN', (order) => percent(order.pacing.expected)],
      ['PACING', (order) => order.pacing.state.replace('_', ' ')],
      ['LAST DAY', (order) => flightDayText(order.flight.last)],
    ],
  },
  async run(context, { status: statuses, ...asked }) {
    const { orders, next_cursor } = await readOrders(context, { tenantId: context.tenantId, statuses, ...asked })
    return list(orders, next_cursor)
  },
})

export interface OrderQuery {
  readonly tenantId: string
  readonly statuses?: readonly MediaBuyStatus[] | undefined
  /** Id of the buyer. */
  readonly buyer?: string | undefined
  readonly account?: string | undefined
  readonly product?: string | undefined
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
  readonly orders: readonly OrderRow[]
  readonly next_cursor: string | null
}

/** Orders that one page looks at: whether creatives are there is not in the index, so that some orders are read and left out. */
const MAX_READ = 500

/**
 * A page of the orders of a publisher over all of its buyers, with delivery and pacing. Throws INVALID_REQUEST for an unknown status, a search that is too
 * long and a cursor of another query; SERVICE_UNAVAILABLE when an ad server does not report.
 */
export async function readOrders(context: OperatorContext, query: OrderQuery): Promise<OrderList> {
  const { config, store, clock } = context
  const { tenantId, limit = DEFAULT_PAGE } = query
  const now = clock()
  const { cursor, limit: _limit, ...asked } = query
  const bound = ['orders', asked]
  const observer = { tenantId, now, conformance: config.conformance }
  const zone = await publisherCalendar(context, tenantId)
  const found = await readPage(store.read, observer, query, { after: positionOf(decodeCursor(bound, cursor)), limit })
  const observed = await observeOrders({ db: store.read, adServers: await context.services.adServers() }, observer, found.orders)
  return {
    orders: observed.map((order) => presentOrderRow(order, { now, zone })),
    next_cursor: found.after ? encodeCursor(bound, JSON.stringify([found.after.value, found.after.mediaBuyId])) : null,
  }
}

interface Page {
  readonly orders: readonly OrderInStatus[]
  readonly after: OrderPosition | undefined
}

/** Reads on until the page is full: columns narrow the statuses, creatives decide. */
async function readPage(
  db: OperatorContext['store']['read'],
  observer: Parameters<typeof statusesOfOrders>[1],
  query: OrderQuery,
  { after, limit }: { readonly after: OrderPosition | undefined; readonly limit: number },
): Promise<Page> {
  const { tenantId } = observer
  const filter = filterOf(query, observer.now)
  const sort = ORDER_SORTS[query.sort ?? 'created']
  const indexed = await isIndexed(db, tenantId, filter)
  const orders: OrderInStatus[] = []
  let position = after
  for (let read = 0; read < MAX_READ; read += limit + 1) {
    const page = { sort, descending: query.ascending !== true, after: position, limit: limit + 1 }
    const found = indexed
      ? { orders: await listTenantOrders(db, tenantId, filter, page), end: undefined }
      : await scanTenantOrders(db, tenantId, filter, page)
    for (const order of await statusesOfOrders(db, observer, found.orders)) {
      if (!(filter.statuses?.includes(order.status) ?? true)) continue
      if (orders.length === limit) return { orders, after: placeOf(sort, orders.at(-1)) }
      orders.push(order)
    }
    if (found.orders.length <= limit) return { orders, after: found.end }
    position = placeOf(sort, found.orders.at(-1))
  }
  return { orders, after: position }
}

function placeOf(sort: OrderSort, order: Parameters<typeof positionIn>[1] | undefined): OrderPosition | undefined {
  return order && positionIn(sort, order, totalBudgetMicros(order.buy))
}

function filterOf({ buyer, account, product, search, statuses }: OrderQuery, now: Date): OrderFilter {
  return {
    principalId: buyer,
    accountId: account,
    productId: product,
    ...(statuses && statuses.length > 0 && { statuses }),
    ...(search !== undefined && { words: searchWords(search) }),
    now,
  }
}

function positionOf(text: string | undefined): OrderPosition | undefined {
  if (text === undefined) return undefined
  const [value, mediaBuyId]: [string | number, string] = JSON.parse(text)
  return { value, mediaBuyId }
}

function isStatus(name: string): name is MediaBuyStatus {
  return Object.hasOwn(TRANSITIONS, name)
}

import { flightDayText } from '../../domain/calendar/flight-days.ts'
import { localCalendar, nextDay } from '../../domain/calendar/local-time.ts'
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { ORDER_STATUSES } from '../../domain/media-buy/lifecycle.ts'
import { ORIGINS } from '../../domain/order/order-origin.ts'
import { deliveryZone } from '../../store/ad-serving/delivery-sums.ts'
import type { OrderFilterName } from '../../store/media-buy/asked-orders.ts'
import { SCANNED_ORDERS } from '../../store/media-buy/order-list.ts'
import { OF_ACCOUNT } from '../accounts/list-accounts.ts'
import { type ActContext, defineAct } from '../act.ts'
import { amountText } from '../amount.ts'
import { DEFAULT_PAGE, day, exact, type Field, flag, oneOf, paged, some, someOf } from '../fields.ts'
import { buyerId } from '../named-buyer.ts'
import { ORDER_SORTS, positionsOf, positionsText, readOrdersAfter, SORTS } from '../orders/read-orders.ts'
import { READERS } from '../roles.ts'
import { searchText, searchWords } from '../search-words.ts'
import { list, pageOf } from '../shape.ts'
import { domainText, idText } from '../text-form.ts'
import { percent } from '../text-table.ts'
import { listedOrder, presentListed, type ReadOrder } from './listed-order.ts'
import { mergeLists, type Placed } from './merge-lists.ts'
import { MOST_IN_FILE, ordersCsv } from './orders-csv.ts'
import { readEnteredOrders } from './read-entered-orders.ts'

export { SCANNED_ORDERS }

/** What narrows the list: each is a filter of both roads, of buyers' orders and of those that people entered. */
const FILTERS = {
  buyer: buyerId('of one buyer, by its id'),
  account: OF_ACCOUNT,
  advertiser: domainText('of one advertiser: the domain of the brand, or as a direct order names it'),
  product: exact(idText('with this product')),
} satisfies Partial<Record<OrderFilterName, Field<string> | Field<boolean>>>

/** `sales-agent orders list`, `GET /orders` and the page of orders. */
export const listOrders = defineAct({
  name: 'orders.list',
  route: 'GET /orders',
  id: 'listOrders',
  roles: READERS,
  summary: 'Orders of every origin, newest first, by pages.',
  fields: {
    origin: some(someOf(ORIGINS, `of ${ORIGINS.join(', ')}; default: all`)),
    status: some(someOf(ORDER_STATUSES, `of ${ORDER_STATUSES.join(', ')}`)),
    ...FILTERS,
    search: searchText('words: parts of ids, buyer, advertiser, purchase order, product'),
    first: day('running on this day or later, YYYY-MM-DD'),
    last: day('running on this day or earlier, YYYY-MM-DD'),
    sort: oneOf(SORTS, 'default: created'),
    ascending: flag('oldest, earliest or smallest first'),
    ...paged('orders'),
  },
  answer: pageOf(listedOrder),
  command: {
    flags: { first: 'from', last: 'to' },
    columns: [
      ['ORDER', (order) => order.order_id],
      ['STATUS', (order) => order.status],
      ['BUYER', (order) => order.buyer ?? order.origin],
      ['ADVERTISER', (order) => order.advertiser ?? ''],
      [
        'BUDGET',
        (order) => (order.budget === null ? 'not limited' : `${amountText(order.budget, order.currency)} ${order.currency}`),
      ],
      ['SPENT', (order) => amountText(order.spent, order.currency)],
      ['DELIVERED', (order) => percent(order.pacing.delivered)],
      ['PLAN', (order) => percent(order.pacing.expected)],
      ['PACING', (order) => order.pacing.state.replace('_', ' ')],
      ['LAST DAY', (order) => flightDayText(order.flight.last)],
    ],
    more: [
      {
        words: 'orders export',
        help: `write all orders of a view as CSV, at most ${MOST_IN_FILE.toLocaleString('en')}`,
        without: ['cursor', 'limit'],
        allPages: MOST_IN_FILE,
        file: { forms: ['csv'], text: ({ items }) => ordersCsv(items) },
      },
    ],
  },
  async run(context, values) {
    const {
      status: statuses,
      first,
      last,
      search,
      sort,
      ascending,
      origin = ORIGINS,
      cursor,
      limit = DEFAULT_PAGE,
      ...own
    } = values
    const { tenantId } = context
    const asked = { ...own, ...(await flightOf(context, first, last)) }
    const query = { tenantId, statuses, search, sort, ascending, ...asked }
    const bound = ['orders', query, origin]
    const begins = positionsOf(decodeCursor(bound, cursor))
    const [afterBought, afterEntered] = begins
    const descending = ascending !== true
    const bought = origin.includes('buyer') ? await readOrdersAfter(context, query, afterBought, limit) : NONE
    const page = { sort: ORDER_SORTS[sort ?? 'created'], descending, after: afterEntered, limit: limit + 1 }
    const filter = { ...asked, words: search === undefined ? [] : searchWords(search) }
    const ofPeople = origin.filter((each) => each !== 'buyer')
    const entered = ofPeople.length > 0 ? await readEnteredOrders(context, filter, statuses, page, ofPeople) : NONE
    const rows = bought.rows.map(({ position, row }): Placed<ReadOrder> => ({ position, row: { origin: 'buyer', ...row } }))
    const merged = mergeLists([{ ...bought, rows }, entered], begins, { descending, limit })
    return list(merged.rows.map(presentListed), merged.isMore ? encodeCursor(bound, positionsText(merged.positions)) : null)
  },
})

const NONE = { rows: [], after: undefined }

/** The moments that a flight has to touch to run on some days of the publisher. */
async function flightOf({ store, tenantId }: ActContext, first: string | undefined, last: string | undefined) {
  if (first === undefined && last === undefined) return {}
  const { startOf } = localCalendar(await deliveryZone(store.read, tenantId))
  return {
    ...(first !== undefined && { from: startOf(first).toISOString() }),
    ...(last !== undefined && { until: startOf(nextDay(last)).toISOString() }),
  }
}

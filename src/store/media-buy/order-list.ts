import { type SelectQueryBuilder, sql } from 'kysely'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import type { DeliverySource } from '../ad-serving/rows.ts'
import type { Db } from '../database.ts'
import { fittingRows } from '../page-size.ts'
import { isOfRunning, type OrderFilter, orderConditions } from './order-filter.ts'
import { BYTES_OF_BUY, partsWithPackages } from './with-packages.ts'

export type { OrderFilter }

/** What the publisher's list of orders can be sorted by. */
export type OrderSort = 'created_at' | 'ends_at' | 'budget_micros'

/** Keyset position: the value that is sorted by, and the id. */
export interface OrderPosition {
  readonly value: string | number
  readonly mediaBuyId: string
}

/** An order with the agent that bought it. */
export interface TenantOrder {
  readonly principalId: string
  readonly deliverySource: DeliverySource
  readonly buy: MediaBuy
}

export interface OrderPage {
  readonly sort: OrderSort
  readonly descending: boolean
  readonly after: OrderPosition | undefined
  readonly limit: number
}

/** Orders of a list. */
export interface ListedOrders {
  readonly orders: readonly TenantOrder[]
  /** Where the list goes on; undefined: at its end. */
  readonly end: OrderPosition | undefined
  /** Whether there are fewer than could be because no more are read at once: the next ones are read in a turn of their own. */
  readonly isCut: boolean
}

/** Orders that one scan looks through, twice at most: their index entries take about a millisecond on either database, however many orders there are. */
export const SCANNED_ORDERS = 2_500

/** Orders of which one turn reads documents, or their sizes: each may have hundreds of packages. */
const AT_ONCE = 20

/** Columns that every index of the list holds, beside the one that it is sorted by. */
const FILTERED = ['decision', 'paused', 'starts_at', 'ends_at', 'principal_id', 'account_id', 'search'] as const

/** More orders than run at once. */
const ALL_RUNNING = 1_000_000

/**
 * Orders of a publisher over all of its buyers, after a position: as many as are read at once, `limit` at most. The ids come from an index that holds every column that is
 * filtered by; documents are read of the page alone.
 */
export async function listTenantOrders(db: Db, tenantId: string, filter: OrderFilter, page: OrderPage): Promise<ListedOrders> {
  const rows = await placesOfOrders(db, tenantId, filter, { ...page, limit: page.limit + 1 })
  return (await fittingOrders(db, tenantId, rows, page)) ?? { orders: [], end: undefined, isCut: false }
}

/** Ids of the same orders: no document is read. */
export async function listTenantOrderIds(db: Db, tenantId: string, filter: OrderFilter, page: OrderPage): Promise<string[]> {
  return idsOf(await placesOfOrders(db, tenantId, filter, page))
}

async function placesOfOrders(db: Db, tenantId: string, filter: OrderFilter, page: OrderPage): Promise<PlaceRow[]> {
  const conditions = orderConditions(tenantId, filter, false)
  const columns = ['media_buy_id', `${page.sort} as value`] as const
  // To sort the few that run costs less than to find them in the order of the list.
  const rows =
    isOfRunning(filter) && page.sort !== 'ends_at'
      ? db.selectFrom(runningOrders(db, tenantId, filter.now)).select(columns)
      : db.selectFrom('media_buys').select(columns).where('tenant_id', '=', tenantId)
  const some = rows.where((eb) => eb.and(conditions))
  return inOrder(some, page).limit(page.limit).execute()
}

/** An order, and the value that the list is sorted by. */
interface PlaceRow {
  readonly media_buy_id: string
  readonly value: string | number
}

function placeOf(sort: OrderSort, row: PlaceRow | undefined): OrderPosition | undefined {
  // PostgreSQL gives large integers as text.
  return row && { value: sort === 'budget_micros' ? Number(row.value) : row.value, mediaBuyId: row.media_buy_id }
}

/** Orders that are not over, found by an index of them: the limit keeps the database from looking for them elsewhere. */
function runningOrders(db: Db, tenantId: string, now: Date) {
  return db
    .selectFrom('media_buys')
    .select(['media_buy_id', 'created_at', 'budget_micros', ...FILTERED])
    .where('tenant_id', '=', tenantId)
    .where('decision', 'is', null)
    .where('ends_at', '>', now.toISOString())
    .limit(ALL_RUNNING)
    .as('media_buys')
}

/** The orders of the first rows, of which one more than `limit` was read where there are more: as many as are read at once, one at least. */
async function fittingOrders(
  db: Db,
  tenantId: string,
  rows: readonly PlaceRow[],
  { sort, limit }: OrderPage,
): Promise<ListedOrders | undefined> {
  if (rows.length === 0) return undefined
  const some = rows.slice(0, Math.min(limit, AT_ONCE))
  const sizes = await db
    .selectFrom('media_buys')
    .select(['media_buy_id', BYTES_OF_BUY.as('bytes')])
    .where('tenant_id', '=', tenantId)
    .where('media_buy_id', 'in', idsOf(some))
    .execute()
  const bytes = new Map(sizes.map((each) => [each.media_buy_id, each.bytes]))
  const fitting = fittingRows(some.map((row) => bytes.get(row.media_buy_id) ?? 0))
  const orders = await findTenantOrders(db, tenantId, idsOf(rows.slice(0, fitting)))
  const end = rows.length > fitting ? placeOf(sort, rows[fitting - 1]) : undefined
  return { orders, end, isCut: fitting < Math.min(limit, rows.length) }
}

/**
 * The first orders of the list that a filter lets through, as many as are read at once, `limit` at most, among the next {@link SCANNED_ORDERS} of the list: for conditions that
 * few orders fit and no index holds, such as words.
 */
export async function scanTenantOrders(db: Db, tenantId: string, filter: OrderFilter, page: OrderPage): Promise<ListedOrders> {
  const all = inOrder(db.selectFrom('media_buys').where('tenant_id', '=', tenantId), page)
  const scanned = all
    .select([...new Set(['media_buy_id', page.sort, ...FILTERED] as const)])
    .limit(SCANNED_ORDERS)
    .as('media_buys')
  const conditions = orderConditions(tenantId, filter, true)
  const fit = db
    .selectFrom(scanned)
    .select(['media_buy_id', `${page.sort} as value`])
    .where((eb) => eb.and(conditions))
  const rows = await inOrder(fit, { ...page, after: undefined })
    .limit(page.limit + 1)
    .execute()
  const found = await fittingOrders(db, tenantId, rows, page)
  if (found?.end) return found
  const last = await all
    .select(['media_buy_id', `${page.sort} as value`])
    .limit(1)
    .offset(SCANNED_ORDERS - 1)
    .executeTakeFirst()
  return { orders: found?.orders ?? [], end: placeOf(page.sort, last), isCut: false }
}

/** Rows of the list after a position, sorted. */
function inOrder<DB, TB extends keyof DB, O>(
  rows: SelectQueryBuilder<DB, TB, O>,
  { sort, descending, after }: Pick<OrderPage, 'sort' | 'descending' | 'after'>,
): SelectQueryBuilder<DB, TB, O> {
  const direction = descending ? 'desc' : 'asc'
  const sorted = rows.orderBy(sql.ref(sort), direction).orderBy(sql.ref('media_buy_id'), direction)
  if (!after) return sorted
  const beyond = sql.raw(descending ? '<' : '>')
  return sorted.where(sql<boolean>`(${sql.ref(sort)}, media_buy_id) ${beyond} (${after.value}, ${after.mediaBuyId})`)
}

function idsOf(rows: readonly { readonly media_buy_id: string }[]): string[] {
  return rows.map(({ media_buy_id: id }) => id)
}

/** Orders of a publisher by id, of any buyer, in the order of the ids; those that there are not are left out. */
export async function findTenantOrders(db: Db, tenantId: string, mediaBuyIds: readonly string[]): Promise<TenantOrder[]> {
  const byId = new Map<string, TenantOrder>()
  for await (const part of tenantOrdersInParts(db, tenantId, mediaBuyIds))
    for (const order of part) byId.set(order.buy.mediaBuyId, order)
  return mediaBuyIds.flatMap((id) => byId.get(id) ?? [])
}

/** The same in any order, part by part, for what needs none of them after the next: others are served in between. */
export async function* tenantOrdersInParts(
  db: Db,
  tenantId: string,
  mediaBuyIds: readonly string[],
): AsyncGenerator<readonly TenantOrder[]> {
  if (mediaBuyIds.length === 0) return
  const rows = await db
    .selectFrom('media_buys')
    .select(['media_buy_id', 'principal_id', 'delivery_source', 'document'])
    .where('tenant_id', '=', tenantId)
    .where('media_buy_id', 'in', mediaBuyIds)
    .execute()
  const rowOf = new Map(rows.map((row) => [row.media_buy_id, row]))
  for await (const buys of partsWithPackages(db, { tenantId, principalId: '' }, rows))
    yield buys.flatMap((buy) => {
      const row = rowOf.get(buy.mediaBuyId)
      return row ? [{ principalId: row.principal_id, deliverySource: row.delivery_source, buy }] : []
    })
}

/** The position of an order in a list that is sorted so. */
export function positionIn(sort: OrderSort, { buy }: TenantOrder, budgetMicros: number): OrderPosition {
  const values = { created_at: buy.createdAt, ends_at: buy.endsAt, budget_micros: budgetMicros }
  return { value: values[sort], mediaBuyId: buy.mediaBuyId }
}

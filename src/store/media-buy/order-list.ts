import { type SelectQueryBuilder, sql } from 'kysely'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import type { DeliverySource } from '../ad-serving/rows.ts'
import type { Db } from '../database.ts'
import { isOfRunning, type OrderFilter, orderConditions } from './order-filter.ts'
import { withPackages } from './with-packages.ts'

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

/** Orders that a scan found. */
export interface ScannedOrders {
  readonly orders: readonly TenantOrder[]
  /** Where the scan ended; undefined when it found `limit` orders, and at the end of the list. */
  readonly end: OrderPosition | undefined
}

/** Orders that one scan looks through, twice at most: their index entries take about a millisecond on either database, however many orders there are. */
export const SCANNED_ORDERS = 2_500

/** Columns that every index of the list holds, beside the one that it is sorted by. */
const FILTERED = ['decision', 'paused', 'starts_at', 'ends_at', 'principal_id', 'account_id', 'search'] as const

/** More orders than run at once. */
const ALL_RUNNING = 1_000_000

/**
 * Orders of a publisher over all of its buyers, `limit` at most, after a position. The ids come from an index that holds every column that is filtered by;
 * documents are read of the page alone.
 */
export async function listTenantOrders(db: Db, tenantId: string, filter: OrderFilter, page: OrderPage): Promise<TenantOrder[]> {
  const conditions = orderConditions(tenantId, filter, false)
  // To sort the few that run costs less than to find them in the order of the list.
  const rows =
    isOfRunning(filter) && page.sort !== 'ends_at'
      ? db.selectFrom(runningOrders(db, tenantId, filter.now)).select('media_buy_id')
      : db.selectFrom('media_buys').select('media_buy_id').where('tenant_id', '=', tenantId)
  const some = rows.where((eb) => eb.and(conditions))
  return findTenantOrders(db, tenantId, idsOf(await inOrder(some, page).limit(page.limit).execute()))
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

/**
 * The first orders of the list that a filter lets through, `limit` at most, among the next {@link SCANNED_ORDERS} of the list: for conditions that few orders fit and no index
 * holds, such as words. The list goes on where the scan ended.
 */
export async function scanTenantOrders(db: Db, tenantId: string, filter: OrderFilter, page: OrderPage): Promise<ScannedOrders> {
  const all = inOrder(db.selectFrom('media_buys').where('tenant_id', '=', tenantId), page)
  const scanned = all
    .select([...new Set(['media_buy_id', page.sort, ...FILTERED] as const)])
    .limit(SCANNED_ORDERS)
    .as('media_buys')
  const conditions = orderConditions(tenantId, filter, true)
  const found = db
    .selectFrom(scanned)
    .select('media_buy_id')
    .where((eb) => eb.and(conditions))
  const rows = await inOrder(found, { ...page, after: undefined })
    .limit(page.limit)
    .execute()
  const orders = await findTenantOrders(db, tenantId, idsOf(rows))
  if (rows.length === page.limit) return { orders, end: undefined }
  const last = await all
    .select(['media_buy_id', `${page.sort} as value`])
    .limit(1)
    .offset(SCANNED_ORDERS - 1)
    .executeTakeFirst()
  // PostgreSQL gives large integers as text.
  const place = (value: string | number) => (page.sort === 'budget_micros' ? Number(value) : value)
  return { orders, end: last && { value: place(last.value), mediaBuyId: last.media_buy_id } }
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
  if (mediaBuyIds.length === 0) return []
  const rows = await db
    .selectFrom('media_buys')
    .select(['media_buy_id', 'principal_id', 'delivery_source', 'document'])
    .where('tenant_id', '=', tenantId)
    .where('media_buy_id', 'in', mediaBuyIds)
    .execute()
  const buys = await withPackages(db, { tenantId, principalId: '' }, rows)
  const byId = new Map<string, TenantOrder>()
  for (const [index, row] of rows.entries()) {
    const buy = buys[index]
    if (buy) byId.set(row.media_buy_id, { principalId: row.principal_id, deliverySource: row.delivery_source, buy })
  }
  return mediaBuyIds.flatMap((id) => byId.get(id) ?? [])
}

/** The position of an order in a list that is sorted so. */
export function positionIn(sort: OrderSort, { buy }: TenantOrder, budgetMicros: number): OrderPosition {
  const values = { created_at: buy.createdAt, ends_at: buy.endsAt, budget_micros: budgetMicros }
  return { value: values[sort], mediaBuyId: buy.mediaBuyId }
}

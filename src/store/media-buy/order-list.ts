import { type SelectQueryBuilder, sql } from 'kysely'
import type { MediaBuy, MediaBuyStatus } from '../../domain/media-buy/media-buy.ts'
import type { DeliverySource } from '../ad-serving/delivery-sources.ts'
import type { Db } from '../database.ts'
import type { Tables } from '../tables.ts'
import { withStatuses } from './list-media-buys.ts'
import { withPackages } from './media-buys.ts'

/** What the publisher's list of orders can be sorted by. */
export type OrderSort = 'created_at' | 'ends_at' | 'budget_micros'

/** What narrows the list; all that is given must hold. */
export interface OrderFilter {
  readonly principalId?: string | undefined
  readonly accountId?: string | undefined
  readonly productId?: string | undefined
  /** Narrows as far as columns can tell: whether creatives were supplied is not among them. */
  readonly statuses?: readonly MediaBuyStatus[] | undefined
  /** Words in small letters that the order must all be found by. */
  readonly words?: readonly string[] | undefined
  /** Only orders whose flight touches these moments, ISO 8601 UTC; `until` is exclusive. */
  readonly from?: string | undefined
  readonly until?: string | undefined
  /** Only orders whose flight ends by then. */
  readonly endsBefore?: string | undefined
  /** Only orders whose delivery is read so. */
  readonly sources?: readonly DeliverySource[] | undefined
  readonly now: Date
}

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

/**
 * Orders of a publisher over all of its buyers, `limit` at most, after a position. The ids come from an index that holds every column that is filtered by;
 * documents are read of the page alone.
 */
export async function listTenantOrders(
  db: Db,
  tenantId: string,
  filter: OrderFilter,
  { sort, descending, after, limit }: OrderPage,
): Promise<TenantOrder[]> {
  const direction = descending ? 'desc' : 'asc'
  let query = filtered(db.selectFrom('media_buys').select('media_buy_id').where('tenant_id', '=', tenantId), tenantId, filter)
  if (after) {
    const beyond = descending ? '<' : '>'
    query = query.where(sql<boolean>`(${sql.ref(sort)}, media_buy_id) ${sql.raw(beyond)} (${after.value}, ${after.mediaBuyId})`)
  }
  const rows = await query.orderBy(sort, direction).orderBy('media_buy_id', direction).limit(limit).execute()
  return findTenantOrders(
    db,
    tenantId,
    rows.map(({ media_buy_id: id }) => id),
  )
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

type Ids = SelectQueryBuilder<Tables, 'media_buys', { media_buy_id: string }>

function filtered(query: Ids, tenantId: string, { statuses, words = [], now, ...filter }: OrderFilter): Ids {
  let rows = query
  if (filter.principalId !== undefined) rows = rows.where('principal_id', '=', filter.principalId)
  if (filter.accountId !== undefined) rows = rows.where('account_id', '=', filter.accountId)
  if (filter.from !== undefined) rows = rows.where('ends_at', '>', filter.from)
  if (filter.endsBefore !== undefined) rows = rows.where('ends_at', '<=', filter.endsBefore)
  if (filter.sources) {
    const [only] = filter.sources
    // Named alone, it is the condition of an index.
    rows =
      filter.sources.length === 1 && only === 'live'
        ? rows.where('delivery_source', '=', sql.lit(only))
        : rows.where('delivery_source', 'in', filter.sources)
  }
  if (filter.until !== undefined) rows = rows.where('starts_at', '<', filter.until)
  if (filter.productId !== undefined) rows = withProduct(rows, tenantId, filter.productId)
  if (statuses) rows = withStatuses(rows, statuses, now.toISOString())
  for (const word of words) rows = rows.where(sql<boolean>`search like ${`%${literal(word)}%`} escape '\\'`)
  return rows
}

function withProduct(rows: Ids, tenantId: string, productId: string): Ids {
  return rows.where((eb) =>
    eb(
      'media_buy_id',
      'in',
      eb
        .selectFrom('packages')
        .select('packages.media_buy_id')
        .where('packages.tenant_id', '=', tenantId)
        .where('packages.product_id', '=', productId),
    ),
  )
}

/** Text escaped for a pattern of LIKE. */
function literal(text: string): string {
  return text.replaceAll(/[\\%_]/g, (character) => `\\${character}`)
}

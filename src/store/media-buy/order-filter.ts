import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import { LIVE_STATUSES } from '../../domain/media-buy/lifecycle.ts'
import type { MediaBuyStatus } from '../../domain/product/media-buy-status.ts'
import type { DeliverySource } from '../ad-serving/rows.ts'
import type { Db } from '../database.ts'
import type { Tables } from '../tables.ts'
import { type AskedOrders, conditionsOf } from './asked-orders.ts'
import { statusCondition } from './list-media-buys.ts'

/** What narrows the list of the orders of buyers; all that is given must hold. */
export type OrderFilter = AskedOrders & {
  /** Narrows as far as columns can tell: whether creatives were supplied is not among them. */
  readonly statuses?: readonly MediaBuyStatus[] | undefined
  /** Only orders whose delivery is read so. */
  readonly sources?: readonly DeliverySource[] | undefined
  readonly now: Date
}

/** Orders of a product that are fetched by their ids; of one that was sold more often, the list is looked through. */
const FEW_ORDERS = 1000

/** Whether an index leads to the orders of a filter, or there are few others beside them: then a page is found at once, and else the list is scanned. */
export async function isIndexed(db: Db, tenantId: string, filter: OrderFilter): Promise<boolean> {
  const { words = [], advertiser, statuses, product } = filter
  const isDecided = (status: MediaBuyStatus) => status === 'canceled' || status === 'rejected'
  if (isOfRunning(filter)) return true
  if (words.length > 0 || advertiser !== undefined) return false
  if (statuses && !statuses.every(isDecided)) return false
  return product === undefined || !(await isSoldOften(db, tenantId, product))
}

/** Whether only orders that are not over fit. */
export function isOfRunning({ statuses = [] }: OrderFilter): boolean {
  return statuses.length > 0 && statuses.every((status) => LIVE_STATUSES.includes(status))
}

async function isSoldOften(db: Db, tenantId: string, productId: string): Promise<boolean> {
  const row = await db
    .selectFrom('packages')
    .select('media_buy_id')
    .where('tenant_id', '=', tenantId)
    .where('product_id', '=', productId)
    .limit(1)
    .offset(FEW_ORDERS)
    .executeTakeFirst()
  return row !== undefined
}

/** The conditions of a filter on columns of `media_buys`. `scanned`: rows come in the order of the list, so that each is looked up by itself. */
export function orderConditions(tenantId: string, filter: OrderFilter, scanned: boolean): readonly Expression<SqlBool>[] {
  const eb = expressionBuilder<Tables, 'media_buys'>()
  const { sources, statuses, now } = filter
  const word = (text: string) => sql<SqlBool>`search like ${`%${likeLiteral(text)}%`} escape '\\'`
  const asked = conditionsOf(filter, {
    buyer: (buyer) => eb('principal_id', '=', buyer),
    account: (account) => eb('account_id', '=', account),
    product: (product) => productCondition(tenantId, product, scanned),
    // The domain of the brand is in the document alone: who reads the orders compares it.
    advertiser: (domain) => word(domain.toLowerCase()),
    from: (from) => eb('ends_at', '>', from),
    until: (until) => eb('starts_at', '<', until),
    endsBefore: (end) => eb('ends_at', '<=', end),
    word,
  })
  const further = [sources && sourceCondition(sources), statuses && statusCondition(statuses, now.toISOString())]
  return [...asked, ...further.filter((condition) => condition !== undefined)]
}

function sourceCondition(sources: readonly DeliverySource[]): Expression<SqlBool> {
  const eb = expressionBuilder<Tables, 'media_buys'>()
  const [only] = sources
  // Named alone, it is the condition of an index.
  return sources.length === 1 && only === 'live'
    ? eb('delivery_source', '=', sql.lit(only))
    : eb('delivery_source', 'in', sources)
}

function productCondition(tenantId: string, productId: string, scanned: boolean): Expression<SqlBool> {
  const sold = sql`packages.tenant_id = ${tenantId} and packages.product_id = ${productId}`
  return scanned
    ? sql<SqlBool>`exists (select 1 from packages where ${sold} and packages.media_buy_id = media_buys.media_buy_id)`
    : sql<SqlBool>`media_buy_id in (select packages.media_buy_id from packages where ${sold})`
}

/** Text escaped for a pattern of LIKE. */
export function likeLiteral(text: string): string {
  return text.replaceAll(/[\\%_]/g, (character) => `\\${character}`)
}

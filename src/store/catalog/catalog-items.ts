import type { Selectable } from 'kysely'
import type { AccountScope } from '../../domain/account/account.ts'
import type { CatalogItem, FlaggedItem } from '../../domain/catalog/catalog.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { chunksOf, forEachChunk } from '../chunks.ts'
import type { Db } from '../database.ts'
import { deleteItems, getCatalog } from './catalogs.ts'
import type { CatalogTables } from './rows.ts'

export interface ItemQuery {
  /** Item ids or content ids; absent: every item. */
  readonly ids?: readonly string[] | undefined
  readonly limit: number
}

/**
 * Items of a catalog that may be shown in an ad, in the order of the feed, `limit` at most. `reach` is the caller's: `accountScopeOf(principal, account)` of
 * domain/account. Throws REFERENCE_NOT_FOUND (field `catalog_id`) for a catalog beyond it.
 */
export async function listCatalogItems(db: Db, reach: AccountScope, catalogId: string, query: ItemQuery): Promise<CatalogItem[]> {
  const { platformId } = await getCatalog(db, reach, catalogId)
  const { ids } = query
  if (ids?.length === 0) return []
  const rows = await db
    .selectFrom('catalog_items')
    .selectAll()
    .where('tenant_id', '=', reach.tenantId)
    .where('platform_id', '=', platformId)
    .where('status', 'in', ['approved', 'warning'])
    .$if(ids !== undefined, (q) => q.where((e) => e.or([e('item_id', 'in', ids ?? []), e('content_id', 'in', ids ?? [])])))
    .orderBy('position')
    .limit(query.limit)
    .execute()
  return rows.map(itemOf)
}

/** Items that the review said something about, in the order of the feed. */
export async function listFlaggedItems(db: Db, tenantId: string, platformId: string, limit: number): Promise<FlaggedItem[]> {
  const rows = await db
    .selectFrom('catalog_items')
    .select(['item_id', 'status', 'reasons'])
    .where('tenant_id', '=', tenantId)
    .where('platform_id', '=', platformId)
    .where('status', '!=', 'approved')
    .orderBy('position')
    .limit(limit)
    .execute()
  return rows.map(({ item_id: itemId, status, reasons }) => ({ itemId, status, reasons: JSON.parse(reasons) }))
}

/** Which of these content ids are items of the catalogs, by our id of the catalog. */
export async function findContentIds(
  db: Db,
  tenantId: string,
  platformIds: readonly string[],
  contentIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, Set<string>>()
  if (platformIds.length === 0) return found
  for (const chunk of chunksOf(contentIds)) {
    const rows = await db
      .selectFrom('catalog_items')
      .select(['platform_id', 'content_id'])
      .where('tenant_id', '=', tenantId)
      .where('platform_id', 'in', platformIds)
      .where('content_id', 'in', chunk)
      .execute()
    for (const row of rows) found.set(row.platform_id, (found.get(row.platform_id) ?? new Set<string>()).add(row.content_id))
  }
  return found
}

/** Replaces the items of a catalog. */
export async function replaceItems(
  tx: Db,
  { tenantId }: Pick<PrincipalRef, 'tenantId'>,
  platformId: string,
  items: readonly CatalogItem[],
): Promise<void> {
  await deleteItems(tx, tenantId, platformId)
  const rowOf = ([position, item]: readonly [number, CatalogItem]) => ({
    tenant_id: tenantId,
    platform_id: platformId,
    item_id: item.itemId,
    position,
    content_id: item.contentId,
    status: item.status,
    reasons: JSON.stringify(item.reasons),
    document: JSON.stringify(item.document),
  })
  await forEachChunk([...items.entries()], (chunk) => tx.insertInto('catalog_items').values(chunk.map(rowOf)).execute())
}

function itemOf(row: Selectable<CatalogTables['catalog_items']>): CatalogItem {
  return {
    itemId: row.item_id,
    contentId: row.content_id,
    status: row.status,
    reasons: JSON.parse(row.reasons),
    document: JSON.parse(row.document),
  }
}

import { accountScopeOf } from '../../domain/account/account.ts'
import { MAX_ITEMS } from '../../domain/catalog/catalog.ts'
import type { DeclaredCatalog } from '../../domain/catalog/declared-catalog.ts'
import { type CatalogMatch, MOST_NAMED, matchItems, matchOf } from '../../domain/catalog/match-catalog.ts'
import type { Offer } from '../../domain/product/offer.ts'
import type { Product } from '../../domain/product/product.ts'
import type { PublicContext } from '../../pipeline/task.ts'
import { listCatalogItems } from '../../store/catalog/catalog-items.ts'
import { findCatalogs } from '../../store/catalog/catalogs.ts'

/** A product as it is shown, with what it can show of the buyer's catalog when catalogs of that type drive it. */
export function withCatalogMatch(
  shown: Offer,
  { offer }: Product,
  catalog: DeclaredCatalog | undefined,
  match: CatalogMatch | undefined,
): Offer {
  const isDriven = catalog !== undefined && (offer.catalog_types ?? []).includes(catalog.type)
  return match && isDriven ? { ...shown, catalog_match: match } : shown
}

/**
 * What there is to show of the catalog of a get_products request: its own items, or those of the catalog that was synced under its
 * id and type. Undefined when there is neither: then products are found by the type alone.
 */
export async function catalogMatchOf(catalog: DeclaredCatalog, context: PublicContext): Promise<CatalogMatch | undefined> {
  const { principal, account, db } = context
  const { catalog_id: catalogId, items } = catalog
  if (items) return matchItems(catalog, items, items.length)
  if (catalogId === undefined || !principal) return undefined
  const reach = accountScopeOf(principal, account)
  // Of several (a sandbox agent's accounts) the one whose items are read below.
  const [known] = (await findCatalogs(db, reach, [catalogId])).sort((a, b) => (a.lastSyncedAt < b.lastSyncedAt ? 1 : -1))
  if (known?.document.type !== catalog.type) return undefined
  const { itemCount, pendingCount, rejectedCount } = known
  const selects = [catalog.ids, catalog.gtins, catalog.tags, catalog.category, catalog.query].some((each) => each !== undefined)
  const servable = await listCatalogItems(db, reach, catalogId, { limit: selects ? MAX_ITEMS : MOST_NAMED })
  if (!selects) return matchOf(catalog, servable, { submitted: itemCount, matched: itemCount - pendingCount - rejectedCount })
  const documents = servable.map(({ document }) => document)
  return matchItems(catalog, documents, itemCount)
}

import { accountScopeOf } from '../../domain/account/account.ts'
import type { Asset, Assets } from '../../domain/creative/assets.ts'
import type { AdCatalog, CatalogItem } from '../../domain/creative/macros/catalog-macros.ts'
import { shownItem } from '../../domain/creative/macros/catalog-macros.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { listCatalogItems } from '../../store/catalog/catalog-items.ts'
import { findAllCatalogs, getCatalog } from '../../store/catalog/catalogs.ts'

type CatalogAsset = Extract<Asset, { asset_type: 'catalog' }>

/** What a catalog asset selects its items by. */
type Selection = Pick<CatalogAsset, 'gtins' | 'tags' | 'category'>

/** Items of a catalog that one build reads. */
const MOST_ITEMS = 100

interface CatalogSources {
  readonly assets: Assets
  readonly message?: string | undefined
  /** The catalog that the configuration of a transformer names; it outranks the others. */
  readonly catalogId?: string | undefined
}

/**
 * The catalog that an ad shows items of: that of its catalog asset, inline or synced; else the synced one that the message names, by its id
 * or by the title of one of its items. Throws REFERENCE_NOT_FOUND for an asset that names a catalog which was not synced.
 */
export async function catalogOf(
  context: AuthenticatedContext,
  { assets, message, catalogId }: CatalogSources,
  limit: number | undefined,
): Promise<AdCatalog | undefined> {
  const most = Math.min(limit ?? MOST_ITEMS, MOST_ITEMS)
  if (catalogId !== undefined) return selected(context, catalogId, most)
  const asset = catalogAssetOf(assets)
  if (asset) return ofAsset(context, asset, most)
  return message === undefined ? undefined : named(context, message, most)
}

/** The catalog asset of a creative, undefined for one without. */
export function catalogAssetOf(assets: Assets): CatalogAsset | undefined {
  return Object.values(assets).find((each): each is CatalogAsset => each?.asset_type === 'catalog')
}

async function selected(context: AuthenticatedContext, catalogId: string, most: number): Promise<AdCatalog> {
  const reach = accountScopeOf(context.principal, context.account)
  const { document } = await getCatalog(context.db, reach, catalogId, 'config.catalog')
  const items = await listCatalogItems(context.db, reach, catalogId, { limit: most })
  return { catalogId, type: document.type, items: items.map((item) => item.document) }
}

async function ofAsset(context: AuthenticatedContext, asset: CatalogAsset, most: number): Promise<AdCatalog> {
  const { catalog_id: catalogId, type } = asset
  if (asset.items) return { catalogId, type, items: chosenItems(asset, asset.items).slice(0, most) }
  if (catalogId === undefined) return { type, items: [] }
  const reach = accountScopeOf(context.principal, context.account)
  const items = await listCatalogItems(context.db, reach, catalogId, { ids: asset.ids, limit: MOST_ITEMS })
  return {
    catalogId,
    type,
    items: chosenItems(
      asset,
      items.map(({ document }) => document),
    ).slice(0, most),
  }
}

/** What the asset selects of its items (core/catalog.json `gtins`, `tags`, `category`); a query in words selects nothing here. */
export function chosenItems({ gtins, tags, category }: Selection, items: readonly CatalogItem[]): CatalogItem[] {
  const [wantedGtins, wantedTags] = [new Set(gtins), new Set(tags)]
  const has = (value: unknown, wanted: ReadonlySet<string>) => [value].flat().some((each) => wanted.has(String(each)))
  return items.filter(
    (item) =>
      (!gtins || has(item.gtin, wantedGtins)) &&
      (!tags || has(item.tags, wantedTags)) &&
      (category === undefined || has(item.category, new Set([category]))),
  )
}

async function named(context: AuthenticatedContext, message: string, most: number): Promise<AdCatalog | undefined> {
  const reach = accountScopeOf(context.principal, context.account)
  const catalogs = await findAllCatalogs(context.db, reach)
  const text = message.toLowerCase()
  const byId = catalogs.find(({ catalogId }) => text.includes(catalogId.toLowerCase()))
  if (byId) {
    const items = await listCatalogItems(context.db, reach, byId.catalogId, { limit: most })
    return { catalogId: byId.catalogId, type: byId.document.type, items: items.map(({ document }) => document) }
  }
  if (!/\b(?:catalog(?:ue)?|feed)\b/i.test(message)) return undefined
  for (const { catalogId, document } of catalogs) {
    const items = await listCatalogItems(context.db, reach, catalogId, { limit: MOST_ITEMS })
    const [item] = items.filter(({ document: each }) => {
      const { title } = shownItem(each)
      return title !== undefined && title.length > 2 && text.includes(title.toLowerCase())
    })
    if (item) return { catalogId, type: document.type, items: [item.document] }
  }
  return undefined
}

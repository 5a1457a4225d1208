import type { CreativeManifest } from '@adcp/sdk/types'
import { accountScopeOf } from '../../domain/account/account.ts'
import type { Asset } from '../../domain/creative/assets.ts'
import type { Creative } from '../../domain/creative/creative.ts'
import { type CatalogItem, itemMacros } from '../../domain/creative/macros/catalog-macros.ts'
import { fillAssets } from '../../domain/creative/macros/fill-asset.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { listCatalogItems } from '../../store/catalog/catalog-items.ts'

/** One way in which a creative is shown (AdCP core/creative-variant.json). */
export interface Variant {
  readonly variantId: string
  readonly manifest: CreativeManifest
}

type CatalogAsset = Extract<Asset, { asset_type: 'catalog' }>

/** Most items that are distinguished. */
const MOST_VARIANTS = 1000

/**
 * The variants of a creative: one for each item of its catalog, else the creative itself. The id of an item's variant is the creative's and the
 * item's, joined by a colon.
 */
export async function variantsOf(context: AuthenticatedContext, creative: Creative): Promise<Variant[]> {
  const { creativeId, content } = creative
  const plain: Variant = { variantId: creativeId, manifest: { format_id: content.formatId, assets: content.assets } }
  const [key, asset] =
    Object.entries(content.assets).find((entry): entry is [string, CatalogAsset] => entry[1]?.asset_type === 'catalog') ?? []
  if (key === undefined || !asset) return [plain]
  const items = await itemsOf(context, creative, asset)
  if (items.length === 0) return [plain]
  return items.map(({ id, document }) => ({
    variantId: `${creativeId}:${id}`,
    manifest: {
      format_id: content.formatId,
      assets: fillAssets({ ...content.assets, [key]: { ...asset, ids: [id] } }, itemMacros(document, asset.catalog_id)),
    },
  }))
}

async function itemsOf(context: AuthenticatedContext, { accountId }: Creative, asset: CatalogAsset) {
  if (asset.items) {
    const inline: readonly CatalogItem[] = asset.items
    return inline.slice(0, MOST_VARIANTS).map((document, index) => {
      const id = document.item_id ?? document.id
      return { id: typeof id === 'string' ? id : String(index + 1), document }
    })
  }
  if (asset.catalog_id === undefined) return []
  const reach = {
    ...accountScopeOf(context.principal, context.account),
    ...(!context.principal.conformance && accountId !== '' && { accountId }),
  }
  const items = await listCatalogItems(context.db, reach, asset.catalog_id, { ids: asset.ids, limit: MOST_VARIANTS }).catch(
    absent,
  )
  return items.map(({ itemId, document }) => ({ id: itemId, document }))
}

/** A catalog that is gone leaves the creative as one. */
function absent(error: unknown): [] {
  if (error instanceof AdcpError && error.code === 'REFERENCE_NOT_FOUND') return []
  throw error
}

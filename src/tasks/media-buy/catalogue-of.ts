import { isBlank } from '../../domain/account/account.ts'
import { buildIndex } from '../../domain/product/rank-products.ts'
import type { PublicContext } from '../../pipeline/task.ts'
import type { Catalogue } from '../../store/catalogue-cache.ts'

export type CatalogueView = Pick<Catalogue, 'products' | 'index' | 'formats' | 'plans' | 'publisher'>

/**
 * The catalogue as the caller of a task may see it. Without credentials: standard products without prices, and no plans. A sandbox
 * account by an id that nobody issued is a blank sheet: it holds what the compliance controller seeded and nothing else.
 */
export async function catalogueOf({ db, tenant, principal, account, services }: PublicContext): Promise<CatalogueView> {
  const catalogue = await services.catalogue.get(db, tenant, principal)
  const { publisher, formats, plans } = catalogue
  if (!principal) return { ...catalogue.limited, publisher, formats, plans: [] }
  if (!isBlank(account)) return { products: catalogue.products, index: catalogue.index, publisher, formats, plans }
  return {
    products: catalogue.seeded,
    index: buildIndex(catalogue.seeded),
    publisher,
    formats: catalogue.seededFormats,
    plans: [],
  }
}

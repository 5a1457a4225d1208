import { isBlank } from '../../domain/account/account.ts'
import { buildIndex, type CatalogueIndex } from '../../domain/product/product-index.ts'
import type { PublicContext } from '../../pipeline/task.ts'
import type { Catalogue } from '../../store/product/catalogue-cache.ts'

export interface CatalogueView extends Pick<Catalogue, 'formats' | 'declare' | 'plans' | 'publisher'> {
  /** Index of what the caller may see, made on first use. */
  readonly index: () => Promise<CatalogueIndex>
}

/**
 * The catalogue as the caller of a task may see it. Without credentials: standard products without prices, and no plans. A sandbox
 * account by an id that nobody issued is a blank sheet: it holds what the compliance controller seeded and nothing else.
 */
export async function catalogueOf({ db, tenant, principal, account, services }: PublicContext): Promise<CatalogueView> {
  const catalogue = await services.catalogue.get(db, tenant, principal)
  const { publisher, formats, declare, plans } = catalogue
  if (!principal) return { index: catalogue.limitedIndex, publisher, formats, declare, plans: [] }
  if (!isBlank(account)) return { index: catalogue.index, publisher, formats, declare, plans }
  return { index: async () => buildIndex(catalogue.seeded), publisher, formats: catalogue.seededFormats, declare, plans: [] }
}

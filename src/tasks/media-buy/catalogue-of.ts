import { isBlank } from '../../domain/account/account.ts'
import { buildIndex } from '../../domain/product/rank-products.ts'
import type { PublicContext } from '../../pipeline/task.ts'
import type { Catalogue } from '../../store/catalogue-cache.ts'

/**
 * The catalogue of a call. A sandbox account by an id that nobody issued is a blank sheet: it holds what the compliance
 * controller seeded and nothing of the publisher's.
 */
export async function catalogueOf({ db, tenant, principal, account, services }: PublicContext): Promise<Catalogue> {
  const catalogue = await services.catalogue.get(db, tenant, principal)
  if (!isBlank(account)) return catalogue
  return {
    ...catalogue,
    products: catalogue.seeded,
    plans: [],
    formats: catalogue.seededFormats,
    index: buildIndex(catalogue.seeded),
  }
}

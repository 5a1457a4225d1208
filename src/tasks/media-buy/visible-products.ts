import { isBlank } from '../../domain/account/account.ts'
import { buildIndex, type ProductIndex } from '../../domain/product/product-index.ts'
import type { PublicContext } from '../../pipeline/task.ts'
import type { ProductSnapshot } from '../../store/product/product-cache.ts'

export interface VisibleProducts extends Pick<ProductSnapshot, 'formats' | 'declare' | 'plans' | 'publisher'> {
  /** Index of what the caller may see, made on first use. */
  readonly index: () => Promise<ProductIndex>
}

/**
 * The products as the caller of a task may see them. Without credentials: standard products without prices, and no plans. A sandbox
 * account by an id that was never issued is empty: it holds what the compliance controller seeded and nothing else.
 */
export async function visibleProducts({ db, tenant, principal, account, services }: PublicContext): Promise<VisibleProducts> {
  const snapshot = await services.products.get(db, tenant, principal)
  const { publisher, formats, declare, plans } = snapshot
  if (!principal) return { index: snapshot.limitedIndex, publisher, formats, declare, plans: [] }
  if (!isBlank(account)) return { index: snapshot.index, publisher, formats, declare, plans }
  return { index: async () => buildIndex(snapshot.seeded), publisher, formats: snapshot.seededFormats, declare, plans: [] }
}

import { hasSuiteOverlay, isBlank } from '../../domain/account/account.ts'
import { buildIndex, type ProductIndex } from '../../domain/product/product-index.ts'
import type { PublicContext } from '../../pipeline/task.ts'
import type { ProductSnapshot } from '../../store/product/product-cache.ts'
import { servedProducts } from '../served-products.ts'

export interface VisibleProducts extends Pick<ProductSnapshot, 'formats' | 'declare' | 'plans' | 'publisher' | 'revision'> {
  /** The account that sees other products than its buyer does without one; undefined for all others. */
  readonly ownAccountId: string | undefined
  /** Index of what the caller may see, made on first use. */
  readonly index: () => Promise<ProductIndex>
}

/**
 * The products as the caller of a task may see them. Without credentials: standard products without prices, and no plans. A sandbox
 * account by an id that was never issued is empty: it holds what the compliance controller seeded and nothing else.
 */
export async function visibleProducts(context: PublicContext): Promise<VisibleProducts> {
  const { db, tenant, principal, account, services } = context
  const snapshot = await services.products.get(db, tenant, principal)
  const served = await servedProducts(context, snapshot)
  const { publisher, formats, declare, plans, revision } = snapshot
  if (!principal) return { index: served.limitedIndex, publisher, formats, declare, plans: [], revision, ownAccountId: undefined }
  if (!isBlank(account)) {
    const ownAccountId = hasSuiteOverlay(account, principal) ? account?.accountId : undefined
    return { index: served.index, publisher, formats, declare, plans, revision, ownAccountId }
  }
  return {
    index: async () => buildIndex(snapshot.seeded),
    publisher,
    formats: snapshot.seededFormats,
    declare,
    plans: [],
    revision,
    ownAccountId: account?.accountId,
  }
}

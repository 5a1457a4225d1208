import { readOfferVersion } from '../../domain/feed-version.ts'
import { canonicalPricing } from '../../domain/product/canonical-pricing.ts'
import { isOfferedTo, type Product } from '../../domain/product/product.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../../store/database.ts'
import { changedSince } from '../../store/product/products.ts'

/** More would bury what has to be looked at again. */
const MOST_SHOWN = 20

/**
 * Refuses a purchase of offers that changed since they were listed: CONFLICT, naming each product and its prices now. Throws INVALID_REQUEST for a token that
 * no list_products of this seller gave.
 */
export async function requireCurrentOffers(
  db: Db,
  { tenant, principal, services }: AuthenticatedContext,
  { feedVersion, productIds }: { readonly feedVersion: string; readonly productIds: readonly string[] },
): Promise<void> {
  const version = readOfferVersion(feedVersion)
  const snapshot = await services.products.get(db, tenant, principal)
  if (!version || version.revision > snapshot.revision) {
    throw new AdcpError('INVALID_REQUEST', 'feed_version is none that list_products gave', {
      field: 'feed_version',
      suggestion: 'call list_products and send the feed_version of its answer',
    })
  }
  const changed = await changedSince(db, tenant.tenantId, principal.principalId, productIds, version.revision)
  if (changed.size === 0) return
  const ids = [...changed].slice(0, MOST_SHOWN)
  const now = ids.map((id) => stateOf(id, snapshot.byId.get(id), principal.principalId))
  const words = now.map(
    ({ product_id, ...state }) => `${product_id} ${'pricing_options' in state ? 'changed' : 'is no longer sold'}`,
  )
  throw new AdcpError('CONFLICT', `feed_version: offers changed since they were listed: ${words.join(', ')}`, {
    field: 'feed_version',
    recovery: 'correctable',
    suggestion:
      'call list_products with criteria.product_ids of these, look at what they offer now, and buy with its feed_version',
    details: { changed: now },
  })
}

function stateOf(id: string, product: Product | undefined, buyer: string) {
  return product && isOfferedTo(product, buyer)
    ? { product_id: id, pricing_options: product.offer.pricing_options.map(canonicalPricing) }
    : { product_id: id, offered: false }
}

import type { GetProductsRequest } from '@adcp/sdk/types'
import { feedVersion, knownVersion } from '../../domain/feed-version.ts'
import type { ProductList } from '../../domain/product/product-list.ts'
import type { DiscoveryTerms } from '../../domain/product/product-question.ts'
import { reachOf } from '../../domain/product/reach.ts'
import type { PublicContext } from '../../pipeline/task.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { VisibleProducts } from './visible-products.ts'

interface Feed {
  readonly wholesale_feed_version: string
}

export interface Unchanged extends Feed {
  readonly unchanged: true
}

/** What a client that shows text reads. */
export const UNCHANGED = 'The wholesale feed is unchanged since the version that was asked about.'

/** Lists, catalogs and proposals are those of the account that the request names. */
export function isForAccount(
  { account, buying_mode: mode, property_list: list, catalog }: GetProductsRequest,
  snapshot: VisibleProducts,
) {
  return (
    account !== undefined &&
    (snapshot.ownAccountId !== undefined || mode !== 'wholesale' || list !== undefined || catalog !== undefined)
  )
}

/** The version of a wholesale answer (AdCP 3.1, get_products "Wholesale feed versioning"); undefined under 3.0 and in the other modes. */
export async function wholesaleFeed(
  request: GetProductsRequest & DiscoveryTerms,
  { contract }: PublicContext,
  { ownAccountId, selected }: { readonly ownAccountId: string | undefined; readonly selected: ProductList },
): Promise<Feed | Unchanged | undefined> {
  if (!contract.rules.feedVersions || request.buying_mode !== 'wholesale') return undefined
  const offers = selected.slice(0, selected.length).map((product) => [product.offer, reachOf(product)])
  const { filters, property_list, catalog, targeting_overlay, required_overlay_support }: GetProductsRequest & DiscoveryTerms =
    request
  const question = [ownAccountId, filters, property_list, catalog, targeting_overlay, required_overlay_support]
  const version = await inTurns(feedVersion(question, offers))
  return { wholesale_feed_version: version, ...(knownVersion(request) === version && { unchanged: true }) }
}

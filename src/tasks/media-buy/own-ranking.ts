import type { GetProductsRequest } from '@adcp/sdk/types'
import { readPart } from '../../domain/product/brief-terms.ts'
import type { Product } from '../../domain/product/product.ts'
import type { RankedProductId, RankingCandidate } from '../../domain/product/ranking-port.ts'
import { rankingCandidates, type SelectionContext } from '../../domain/product/select-products.ts'
import type { Services } from '../../pipeline/services.ts'

/** Products that a ranking of the publisher's own is asked about at most. */
const MOST_CANDIDATES = 500

/** Whether the publisher's own ranking is asked about a request. */
export function isRanked({ buying_mode: mode }: GetProductsRequest, { ranking }: Services): boolean {
  return mode === 'brief' && ranking !== undefined
}

/** The order that it gives to what the caller may see; undefined: the ranking of this program is to answer. */
export async function orderOf(
  request: GetProductsRequest,
  selecting: SelectionContext,
  ranking: Services['ranking'],
): Promise<readonly RankedProductId[] | undefined> {
  const products = rankingCandidates(request, selecting, MOST_CANDIDATES).map(candidateOf)
  return products.length === 0 ? undefined : ranking?.rank({ brief: readPart(request.brief ?? ''), products })
}

/** What it says of the products, by id. */
export function reasonsOf(order: readonly RankedProductId[]): ReadonlyMap<string, string> {
  return new Map(order.flatMap(({ productId, reason }) => (reason === undefined ? [] : [[productId, reason]])))
}

function candidateOf({ id, offer, selling }: Product): RankingCandidate {
  const { countries } = selling.coverage
  return {
    productId: id,
    name: offer.name,
    description: offer.description,
    channels: offer.channels ?? [],
    deliveryType: offer.delivery_type,
    keywords: selling.keywords,
    audiences: selling.audiences,
    ...(countries && { countries }),
    formatIds: offer.format_ids.map(({ id: format }) => format),
  }
}

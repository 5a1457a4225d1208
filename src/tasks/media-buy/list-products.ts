import { cacheScope, offerVersion, readOfferVersion } from '../../domain/feed-version.ts'
import { pageOf } from '../../domain/page.ts'
import { type CanonicalProduct, canonicalProduct } from '../../domain/product/canonical-product.ts'
import { withTerms } from '../../domain/product/discovery-terms.ts'
import { wantedPrice } from '../../domain/product/filter-prices.ts'
import { presentProduct } from '../../domain/product/present-products.ts'
import type { ProductQuestion } from '../../domain/product/product-question.ts'
import { reachOf } from '../../domain/product/reach.ts'
import { selectProducts } from '../../domain/product/select-products.ts'
import { defineTask, type InTransaction, type Modelled, type PublicContext } from '../../pipeline/task.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { questionOf } from '../../protocol/converters/compact-requests.ts'
import { definingQuery } from '../defining-query.ts'
import { keptTargeting } from '../served-products.ts'
import { wholeRequest } from '../whole-request.ts'
import { catalogMatchOf, withCatalogMatch } from './catalog-match.ts'
import { LIST_PRODUCTS } from './input-notes.ts'
import { summarizeListed } from './listing-summary.ts'
import { selectingIn } from './proposal-planning.ts'
import { visibleProducts } from './visible-products.ts'

/** What a caller asks of a list of offers (AdCP 3.2 media-buy/list-products-request.json). */
interface Question {
  readonly account?: unknown
  readonly context?: unknown
  readonly criteria?: { readonly product_ids?: readonly string[]; readonly catalog?: unknown }
  readonly fields?: readonly string[]
  readonly cursor?: string
  readonly max_results?: number
  readonly if_feed_version?: string
}
type Request = Modelled<Question, ProductQuestion>

/** Offers, or word that the caller has them (media-buy/list-products-response.json). */
export interface Listing {
  readonly outcome: 'listed' | 'unchanged'
  readonly products?: readonly CanonicalProduct[]
  readonly next_cursor?: string
  readonly feed_version: string
  readonly cache_scope: 'public' | 'account'
}

/** media-buy/list-products-request.json, `max_results`. */
const DEFAULT_PAGE = 25

export const listProducts = defineTask<Request, Listing>()({
  name: 'list_products',
  since: '3.2',
  access: 'limited',
  scope: 'products',
  account: 'optional',
  summary: 'Offers that match structured criteria, with the feed_version that buy_products takes. In the order of the publisher.',
  input: LIST_PRODUCTS,
  model: {
    task: 'get_products',
    read: questionOf,
    names: {
      filters: 'criteria.offer_filters',
      targeting_overlay: 'criteria.targeting_overlay',
      required_policies: 'criteria.policy_ids',
    },
  },
  summarize: summarizeListed,
  cacheKey: ({ model: _model, ...request }) => (request.criteria?.catalog === undefined ? wholeRequest(request) : undefined),
  handle: listed,
})

async function listed({ model, ...request }: Request, context: InTransaction<PublicContext>): Promise<Listing> {
  const { tenant, principal, account } = context
  const { criteria = {}, fields } = request
  const visible = await visibleProducts(context)
  const keepsOf = keptTargeting(context)
  const selecting = await selectingIn(context, visible, {
    ...model,
    ...(criteria.product_ids && { product_ids: criteria.product_ids }),
  })
  const { index } = selecting
  const selection = selectProducts(model, selecting)
  const selected = selection.products
  const offers = selected.slice(0, selected.length).map((product) => [product.offer, reachOf(product)])
  const version = await inTurns(offerVersion(visible.revision, [visible.ownAccountId, criteria], offers))
  const head = { feed_version: version, ...cacheScope(visible.ownAccountId !== undefined) }
  if (isKnown(request.if_feed_version, version)) return { outcome: 'unchanged', ...head }
  const { cursor: _cursor, max_results: _most, fields: _fields, if_feed_version: _known, ...query } = definingQuery(request)
  const page = pageOf(
    selected,
    ({ id }) => id,
    ['list_products', tenant.tenantId, principal?.principalId, account?.accountId, query],
    {
      max_results: request.max_results ?? DEFAULT_PAGE,
      ...(request.cursor !== undefined && { cursor: request.cursor }),
    },
  )
  const { catalog } = model
  const match = catalog && (await catalogMatchOf(catalog, context))
  const shownAs = {
    brief: undefined,
    index,
    prices: principal !== undefined,
    isWantedPrice: wantedPrice(model.filters),
    whole: false,
    declare: visible.declare,
  }
  const asked = { ...model, fields }
  const products = page.items.map((product) => {
    const row = withTerms(presentProduct(product, fields, shownAs), product, asked, keepsOf)
    return canonicalProduct(withCatalogMatch(row, product, catalog, match), fields)
  })
  const { cursor } = page.pagination
  return { outcome: 'listed', products, ...head, ...(cursor !== undefined && { next_cursor: cursor }) }
}

/** Whether the offers of a version are those that the caller has; the products may be at a later revision. */
function isKnown(known: string | undefined, current: string): boolean {
  return known !== undefined && readOfferVersion(known)?.content === readOfferVersion(current)?.content
}

import type { GetProductsRequest, GetProductsResponse } from '@adcp/sdk/types'
import { pageOf, type Sequence } from '../../domain/page.ts'
import { proposalsFor } from '../../domain/product/brief-proposals.ts'
import { presentProduct } from '../../domain/product/present-products.ts'
import type { Product } from '../../domain/product/product.ts'
import { appended, listOf, type OfferedProducts, offeredProducts, type ProductList } from '../../domain/product/product-list.ts'
import type { Proposal } from '../../domain/product/proposals.ts'
import { selectProducts, takesCatalogs } from '../../domain/product/select-products.ts'
import { isStandardFormatOf } from '../../domain/product/standard-format.ts'
import { mediaBuyFeatures } from '../../domain/protocol/capabilities.ts'
import { defineTask, type InTransaction, type PublicContext } from '../../pipeline/task.ts'
import { onStoredPropertyList } from '../property/on-stored-property-list.ts'
import { catalogMatchOf, withCatalogMatch } from './catalog-match.ts'
import { catalogueOf } from './catalogue-of.ts'
import { GET_PRODUCTS } from './input-notes.ts'
import { applyProposalEntries } from './proposal-entries.ts'

export const getProducts = defineTask<GetProductsRequest, GetProductsResponse>()({
  name: 'get_products',
  access: 'limited',
  scope: 'products',
  account: 'optional',
  summary:
    'Find products: by a brief (ranked, with reasons and proposals), the whole catalogue (wholesale), or refine earlier answers.',
  input: GET_PRODUCTS,
  // A proposal that is refined or finalized is stored.
  writes: ({ buying_mode: mode, refine }) => mode === 'refine' && Array.isArray(refine) && refine.some(isAboutProposal),
  async handle(request, context) {
    const answers = context.services.productAnswers
    const question = questionOf(request, context)
    if (question === undefined) return answer(request, context)
    return answers.get(question, context.now) ?? answers.put(question, await answer(request, context), context.now)
  },
})

function isAboutProposal(entry: unknown): boolean {
  return typeof entry === 'object' && entry !== null && 'scope' in entry && entry.scope === 'proposal'
}

/**
 * All that a plain brief or a wholesale listing depends on: the catalogue's revision, the caller, and the request. Undefined for requests
 * that read more than the catalogue (lists, stored proposals, the buyer's own catalogs).
 */
function questionOf(request: GetProductsRequest, { tenant, principal, account }: PublicContext): string | undefined {
  const { context: _echoed, refine, property_list: list, ...asked } = request
  if (request.buying_mode === 'refine' || refine || list || request.catalog) return undefined
  return JSON.stringify([tenant.tenantId, tenant.catalogueRevision, principal?.principalId, account?.accountId, asked])
}

async function answer(request: GetProductsRequest, context: InTransaction<PublicContext>): Promise<GetProductsResponse> {
  const { tenant, principal, account, services, now } = context
  const catalogue = await catalogueOf(context)
  const isStandardFormat = isStandardFormatOf(services.wiring.agentUrl)
  const shown = { index: await catalogue.index(), principalId: principal?.principalId }
  const selection = selectProducts(request, {
    ...shown,
    isStandardFormat,
    features: mediaBuyFeatures(new Set(services.wiring.tasks.keys())),
  })
  const offered = offeredProducts(shown.index, shown.principalId)
  const first = request.pagination?.cursor === undefined
  const refined = first ? await applyProposalEntries(request, context, catalogue, offered) : undefined
  const { answered, products: selected } = selection
  const suggested =
    first && principal && answered ? proposalsFor(answered.brief, answered.ranking, catalogue.plans, offered, now) : []
  const listed =
    request.property_list && (await onStoredPropertyList(context, request.property_list, selected.slice(0, selected.length)))
  const onList = listed && new Set(listed.map(({ id }) => id))
  const proposals = (refined?.proposals ?? suggested).filter(
    ({ allocations }) => !onList || allocations.every(({ product_id }) => onList.has(product_id)),
  )
  const { pagination: _page, context: _context, fields, ...query } = request
  const page = pageOf(
    withProposed(listed ? listOf(listed) : selected, proposals, offered, refined !== undefined),
    (product) => product.id,
    [tenant.tenantId, principal?.principalId, account?.accountId, query],
    request.pagination,
  )
  const { catalog } = request
  const match = catalog && (await catalogMatchOf(catalog, context))
  const present = { brief: answered?.brief, index: shown.index, prices: principal !== undefined, declare: catalogue.declare }
  return {
    products: page.items.map((product) => withCatalogMatch(presentProduct(product, fields, present), product, catalog, match)),
    ...((proposals.length > 0 || refined) && { proposals: [...proposals] }),
    ...(request.buying_mode === 'refine' && {
      refinement_applied: (request.refine ?? []).flatMap(
        (_entry, position) => selection.outcomes.get(position) ?? refined?.outcomes.get(position) ?? [],
      ),
    }),
    ...(request.catalog && { catalog_applied: takesCatalogs(shown) }),
    ...(request.property_list &&
      (listed ? { property_list_applied: true } : { property_list_applied: false, errors: [LIST_NOT_READ] })),
    pagination: page.pagination,
    ...(principal?.sandbox && { sandbox: true }),
  }
}

/** A proposal refers to products of the same answer: those that it needs and the selection lacks are added. */
function withProposed(
  selection: ProductList,
  proposals: readonly Proposal[],
  offered: OfferedProducts,
  first: boolean,
): Sequence<Product> {
  const needed = proposals.flatMap(({ allocations }) => allocations.flatMap(({ product_id }) => offered.get(product_id) ?? []))
  const distinct = [...new Map(needed.map((product) => [product.id, product])).values()]
  if (!first) {
    return appended(
      selection,
      distinct.filter(({ id }) => !selection.has(id)),
    )
  }
  const own = new Set(distinct.map(({ id }) => id))
  return [...distinct, ...selection.slice(0, selection.length).filter(({ id }) => !own.has(id))]
}

/** A hint, not a refusal: the rest of the request was answered. */
const LIST_NOT_READ: NonNullable<GetProductsResponse['errors']>[number] = {
  code: 'UNSUPPORTED_FEATURE',
  message: 'property_list was not applied: this seller does not read external lists at discovery',
  field: 'property_list',
  recovery: 'correctable',
  suggestion: 'pass the list as targeting_overlay.property_list of a package',
}

import { timeZoneOf } from '../../domain/identity/publisher-settings.ts'
import { canonicalProduct } from '../../domain/product/canonical-product.ts'
import { discoveryTests } from '../../domain/product/discovery-terms.ts'
import { presentProduct } from '../../domain/product/present-products.ts'
import type { ProductIndex } from '../../domain/product/product-index.ts'
import { type OfferedProducts, offeredProducts } from '../../domain/product/product-list.ts'
import type { ProductQuestion, Question } from '../../domain/product/product-question.ts'
import { proposedProducts } from '../../domain/product/proposed-products.ts'
import { allowedBy, type SelectionContext } from '../../domain/product/select-products.ts'
import { isStandardFormatOf } from '../../domain/product/standard-format.ts'
import type { Snapshot } from '../../domain/proposal/negotiated.ts'
import type { TermsContext } from '../../domain/proposal/plan-terms.ts'
import { mediaBuyFeatures } from '../../domain/protocol/capabilities.ts'
import type { AuthenticatedContext, PublicContext } from '../../pipeline/task.ts'
import { keptTargeting, servedProducts } from '../served-products.ts'
import { type VisibleProducts, visibleProducts } from './visible-products.ts'

/** What products are chosen by, for a question about them: `terms` beside the filters, further tests after them. */
export async function selectingIn(
  context: PublicContext,
  visible: VisibleProducts,
  terms: Question,
): Promise<SelectionContext & { readonly index: ProductIndex }> {
  const { principal, services } = context
  const keepsOf = keptTargeting(context)
  const named = terms.product_ids && new Set(terms.product_ids)
  return {
    index: await visible.index(),
    principalId: principal?.principalId,
    isStandardFormat: isStandardFormatOf(services.wiring.agentUrl),
    declare: visible.declare,
    keepsOf,
    terms: [...discoveryTests(terms, keepsOf), ...(named ? [({ id }: { readonly id: string }) => named.has(id)] : [])],
    features: mediaBuyFeatures(new Set(services.wiring.tasks.keys()), services.contracts.base.manifest.specialisms),
  }
}

/** What proposals of a caller are made from. */
export interface Planning {
  readonly visible: VisibleProducts
  readonly offered: OfferedProducts
  readonly terms: TermsContext
  /** What the filters of a question leave, and a search in it. */
  allowedBy(question: Question): Promise<ReturnType<typeof allowedBy>>
  /** The products of proposals as the compact lifecycle shows them, each once. */
  rows(snapshots: readonly Snapshot[]): readonly object[]
}

export async function planningIn(context: AuthenticatedContext): Promise<Planning> {
  const { db, tenant, principal, services, now } = context
  const { principalId } = principal
  const timeZone = timeZoneOf(tenant.settings, services.wiring.timeZone)
  const visible = await visibleProducts(context)
  const index = await visible.index()
  const { byId: products } = await servedProducts(context, await services.products.get(db, tenant, principal))
  const offered = offeredProducts(index, principalId)
  const shown = { brief: undefined, index, prices: true, isWantedPrice: undefined, whole: false, declare: visible.declare }
  return {
    visible,
    offered,
    terms: { products, declare: visible.declare, keepsOf: keptTargeting(context), principalId, now, timeZone },
    async allowedBy({ product_ids: _candidates, ...question }) {
      const request: ProductQuestion = { buying_mode: 'wholesale', ...question }
      return allowedBy(request, await selectingIn(context, visible, question))
    },
    rows(snapshots) {
      const proposals = snapshots.map(({ proposal }) => proposal)
      return proposedProducts(proposals, offered, principalId).map((product) =>
        canonicalProduct(presentProduct(product, undefined, shown), undefined),
      )
    },
  }
}

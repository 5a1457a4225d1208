import type { SyncCreativesRequest } from '@adcp/sdk'
import { type ProvenancePolicy, provenancePolicyOf } from '../../domain/creative/check-provenance.ts'
import type { FormatKey } from '../../domain/creative/formats/format-id.ts'
import { takesFormat } from '../../domain/creative/resolve-format.ts'
import type { Product } from '../../domain/product/product.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { findMediaBuyOfPackage } from '../../store/media-buy/media-buys.ts'

/** The policies that a creative of a request is held to. */
export type PoliciesOf = (creative: {
  readonly creative_id: string
  readonly format_id: FormatKey
}) => readonly ProvenancePolicy[]

type Assignments = SyncCreativesRequest['assignments']

type Viewer = Pick<AuthenticatedContext, 'db' | 'tenant' | 'principal' | 'services'>

/** What the product asks of the provenance of its creatives; undefined when that is nothing. */
export async function policyOfProduct({ db, tenant, principal, services }: Viewer, productId: string | undefined) {
  const { byId } = await services.products.get(db, tenant, principal)
  return policyOf(productId === undefined ? undefined : byId.get(productId))
}

/** What a product asks of the provenance of its creatives; undefined when that is nothing. */
export function policyOf(product: Product | undefined): ProvenancePolicy | undefined {
  return product && provenancePolicyOf(product.id, product.offer.creative_policy)
}

/**
 * The policies for creatives of sync_creatives: of the products of the packages that a creative is assigned to in the same request; without such, of
 * every product that takes its format, because it may be shown on each of them later.
 */
export async function policiesOfSync(
  context: InTransaction<AuthenticatedContext>,
  assignments: Assignments,
): Promise<PoliciesOf> {
  const { db, tenant, principal, services } = context
  const { products: offered, seeded } = await services.products.get(db, tenant, principal)
  // Fixtures of earlier stories stay; what a story uploads is meant for the product that it seeded.
  const left = new Set(principal.conformance ? seeded.slice(1) : [])
  const policies = offered.flatMap((product) => {
    const policy = policyOf(product)
    return policy ? [{ product, policy }] : []
  })
  if (policies.length === 0) return () => []
  const assigned = await productsOfAssignments(context, assignments)
  const rules = { agentUrl: services.wiring.agentUrl, conformance: principal.conformance === true }
  return ({ creative_id: id, format_id }) => {
    const products = assigned.get(id)
    return policies
      .filter(
        ({ product }) =>
          products?.has(product.id) ?? (!left.has(product) && takesFormat(product.offer.format_ids, format_id, rules)),
      )
      .map(({ policy }) => policy)
  }
}

/** Ids of the products on whose packages a request puts creatives, by creative id. */
export async function productsOfAssignments(
  { tx, principal }: InTransaction<AuthenticatedContext>,
  assignments: Assignments = [],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, Set<string>>()
  const productOf = new Map<string, string | undefined>()
  for (const { creative_id, package_id } of assignments) {
    if (!productOf.has(package_id)) {
      const buy = await findMediaBuyOfPackage(tx, principal, package_id)
      productOf.set(package_id, buy?.packages.find(({ packageId }) => packageId === package_id)?.productId)
    }
    const productId = productOf.get(package_id)
    if (productId === undefined) continue
    const products = found.get(creative_id) ?? new Set()
    found.set(creative_id, products.add(productId))
  }
  return found
}

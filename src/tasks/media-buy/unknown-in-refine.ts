import { offeredProducts } from '../../domain/product/product-list.ts'
import { proposalNotFound } from '../../domain/product/proposal-not-found.ts'
import { requireOffered } from '../../domain/product/refine-products.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { type AdcpError, refusalsOf } from '../../protocol/errors.ts'
import { openProposalIds, proposalNamed } from './open-proposal.ts'
import { visibleProducts } from './visible-products.ts'

/** An entry of `refine` that may lack any member, its scope too. */
interface Entry {
  readonly proposal_id?: string
  readonly product_id?: string
}

/** Entries of one call that are looked at where its form is wrong: an error names no more. */
const MOST_LOOKED_AT = 12

/** The products and proposals that entries of `refine` name and that are not there. */
export async function unknownInRefine(
  { refine = [] }: { readonly refine?: readonly Entry[] },
  context: AuthenticatedContext,
): Promise<readonly AdcpError[]> {
  const entries = refine.slice(0, MOST_LOOKED_AT)
  if (context.principal.conformance || entries.length === 0) return []
  const { services, db, tenant, principal } = context
  const snapshot = await services.products.get(db, tenant, principal)
  const errors: AdcpError[] = []
  for (const [index, { proposal_id: id }] of entries.entries())
    if (id !== undefined)
      errors.push(
        ...(await refusalsOf(async () => {
          if (await proposalNamed(id, context, snapshot)) return
          const open = await openProposalIds(context, { plans: snapshot.plans, offered: snapshot.byId })
          throw proposalNotFound(id, `refine[${index}].proposal_id`, open)
        })),
      )
  const { index } = await visibleProducts(context)
  const offered = offeredProducts(await index(), principal.principalId)
  const products = entries.map(({ product_id }) => ({ scope: 'product' as const, product_id: product_id ?? '' }))
  const named = products.map((each) => (each.product_id === '' ? { scope: 'request' as const, ask: '' } : each))
  return [...errors, ...(await refusalsOf(() => requireOffered(named, offered, false)))]
}

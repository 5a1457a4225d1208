import { packageNotFound } from '../../domain/media-buy/not-found.ts'
import type { PackageRequest } from '../../domain/media-buy/order-request.ts'
import { namedFaults } from '../../domain/media-buy/plan-packages.ts'
import { requireExecutable } from '../../domain/media-buy/proposal.ts'
import { proposalNotFound } from '../../domain/product/proposal-not-found.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { type AdcpError, refusalsOf } from '../../protocol/errors.ts'
import { NameSearch } from '../../protocol/nearest-name.ts'
import { keptTargeting, servedProducts } from '../served-products.ts'
import { namedMediaBuy } from './find-media-buys.ts'
import { openProposalIds, proposalNamed } from './open-proposal.ts'

/** New packages, or purchases of AdCP 3.2, by the list that they are in. */
type Lists = Readonly<Partial<Record<'packages' | 'new_packages' | 'purchases', readonly Partial<PackageRequest>[]>>>

/** Packages of one call that are looked at where its form is wrong: an error names no more. */
const MOST_LOOKED_AT = 12

/** What is wrong with the proposal and with the products, prices and targeting that an order names; it may lack any member. */
export async function unknownInOrder(
  request: { readonly proposal_id?: string } & Lists,
  context: AuthenticatedContext,
): Promise<readonly AdcpError[]> {
  return [...(await unknownProposal(request, context)), ...(await unknownInPackages(request, context))]
}

async function unknownProposal(
  { proposal_id: id, ...request }: { readonly proposal_id?: string },
  context: AuthenticatedContext,
): Promise<readonly AdcpError[]> {
  if (id === undefined || context.principal.conformance) return []
  const snapshot = await context.services.products.get(context.db, context.tenant, context.principal)
  return refusalsOf(async () => {
    const proposal = await proposalNamed(id, context, snapshot)
    const open = { plans: snapshot.plans, offered: snapshot.byId }
    if (!proposal) throw proposalNotFound(id, 'proposal_id', await openProposalIds(context, open))
    requireExecutable(proposal, request, context.now)
  })
}

async function unknownInPackages(lists: Lists, context: AuthenticatedContext): Promise<readonly AdcpError[]> {
  const named = (['packages', 'new_packages', 'purchases'] as const).flatMap((list) =>
    (lists[list] ?? []).slice(0, MOST_LOOKED_AT).map((each, index) => ({ each, path: `${list}[${index}]` })),
  )
  if (named.length === 0) return []
  const { services, db, tenant, principal } = context
  const { byId: products } = await servedProducts(context, await services.products.get(db, tenant, principal))
  const { principalId } = principal
  const planning = { products, principalId, names: new NameSearch(), keepsOf: keptTargeting(context) }
  return named.flatMap(({ each, path }) => namedFaults(each, path, planning))
}

/** A package that a change names. */
interface Changed {
  readonly package_id?: string
}

/** What is wrong with the media buy, the packages, and what new packages name, of a change that may lack any member. */
export async function unknownInChange(
  request: { readonly media_buy_id?: string; readonly packages?: readonly Changed[] } & Pick<Lists, 'new_packages'>,
  context: AuthenticatedContext,
): Promise<readonly AdcpError[]> {
  const { media_buy_id: id, packages = [], new_packages } = request
  const added = new_packages ? await unknownInPackages({ new_packages }, context) : []
  // The request may be of any form.
  if (typeof id !== 'string') return added
  const names = new NameSearch()
  const refused = await refusalsOf(async () => {
    const buy = await namedMediaBuy(context.db, context, id)
    const own = new Set(buy.packages.map(({ packageId }) => packageId))
    for (const [index, { package_id: named }] of packages.entries())
      if (named !== undefined && !own.has(named)) throw packageNotFound(buy, named, `packages[${index}].package_id`, names)
  })
  return [...refused, ...added]
}

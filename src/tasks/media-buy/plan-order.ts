import { randomUUID } from 'node:crypto'
import type { CreateMediaBuyRequest } from '@adcp/sdk/types'
import { planMediaBuy } from '../../domain/media-buy/create.ts'
import type { Assignment, MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { requireBids } from '../../domain/media-buy/unused-bids.ts'
import { assignmentsIn } from '../../domain/media-buy/update.ts'
import type { Product } from '../../domain/product/product.ts'
import type { Negotiated } from '../../domain/proposal/negotiated.ts'
import { withAgreedPrices } from '../../domain/proposal/plan-terms.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { servedProducts } from '../served-products.ts'
import { requireBuyerData } from './buyer-data.ts'
import { requireAssignable } from './creative-facts.ts'
import { proposalNamed } from './open-proposal.ts'

export interface PlannedOrder {
  readonly buy: MediaBuy
  readonly products: ReadonlyMap<string, Product>
  /** Creatives that the request gives each package; those of its ids that are not in the library yet are waited for. */
  readonly assignments: readonly (readonly [packageId: string, assignments: readonly Assignment[]])[]
}

/** Plans what a create_media_buy request asks for against the products and the agent's own proposals; nothing is booked. `agreed`: terms whose prices hold. */
export async function planOrder(
  request: CreateMediaBuyRequest,
  context: AuthenticatedContext,
  agreed?: Negotiated,
): Promise<PlannedOrder> {
  const { db, tenant, principal, account, services, now } = context
  if (!account) throw new AdcpError('INVALID_REQUEST', 'account is required', { field: 'account' })
  const snapshot = await services.products.get(db, tenant, principal)
  const { declare } = snapshot
  const { byId } = await servedProducts(context, snapshot)
  const products = agreed ? withAgreedPrices(byId, agreed) : byId
  const buy = planMediaBuy(request, {
    mediaBuyId: `mb_${randomUUID()}`,
    accountId: account.accountId,
    principalId: principal.principalId,
    actor: principal.agentUrl ?? principal.name,
    products,
    declare,
    proposal: await proposalNamed(request.proposal_id, context, snapshot),
    now,
  })
  // The official runner bids on fixed prices.
  if (!principal.conformance) requireBids(request.packages, buy.packages, 'packages')
  await requireBuyerData(context, account.accountId, request.packages, 'packages')
  const assignments = buy.packages.flatMap(({ packageId }, index) => {
    const list = assignmentsIn(request.packages?.[index])
    return list.length > 0 ? [[packageId, list] as const] : []
  })
  await requireAssignable(context, request, buy, products)
  return { buy, products, assignments }
}

import { randomUUID } from 'node:crypto'
import { timeZoneOf } from '../../domain/identity/publisher-settings.ts'
import { assignmentsIn } from '../../domain/media-buy/assignments-in.ts'
import { bidOf } from '../../domain/media-buy/bid.ts'
import { planMediaBuy } from '../../domain/media-buy/create.ts'
import type { Assignment, MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { requireReportFrequency } from '../../domain/media-buy/reporting-webhook.ts'
import { requireBids } from '../../domain/media-buy/unused-bids.ts'
import { flightOfProposal, type WholeDays } from '../../domain/product/flight-id.ts'
import { missesCap, partsNotCarried } from '../../domain/product/missed-cap.ts'
import type { Product } from '../../domain/product/product.ts'
import type { Proposal } from '../../domain/product/proposal.ts'
import { withStoryGoals } from '../../domain/product/seed-product.ts'
import { atFirmPrices } from '../../domain/proposal/firm-prices.ts'
import type { Negotiated } from '../../domain/proposal/negotiated.ts'
import { withAgreedPrices } from '../../domain/proposal/plan-terms.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { keptTargeting, servedProducts } from '../served-products.ts'
import { requireAssignable } from './assignable-creatives.ts'
import { requireBuyerData } from './buyer-data.ts'
import { ofProposal } from './of-proposal.ts'
import { openProposalIds, proposalNamed } from './open-proposal.ts'
import { newPackages, requireSignals } from './package-signals.ts'
import type { PlacedOrder } from './placed-order.ts'
import { withHours } from './require-hours.ts'

export interface PlannedOrder {
  readonly buy: MediaBuy
  readonly products: ReadonlyMap<string, Product>
  /** Creatives that the request gives each package; those of its ids that are not in the library yet are waited for. */
  readonly assignments: readonly (readonly [packageId: string, assignments: readonly Assignment[]])[]
  /** Whether the proposal that is bought lacks a frequency cap that its question wanted. */
  readonly missesCap: boolean
  /** What asks wanted for a part of the proposal alone, in their words: its packages do not have it. */
  readonly notCarried: readonly string[]
  /** The days of the proposal that is bought, where it has some. */
  readonly plannedDays: WholeDays | undefined
}

/** Plans what a create_media_buy request asks for against the products and the agent's own proposals; nothing is booked. `agreed`: terms whose prices hold. */
export async function planOrder(request: PlacedOrder, context: AuthenticatedContext, agreed?: Negotiated): Promise<PlannedOrder> {
  const { db, tenant, principal, account, services, now } = context
  if (!account) throw new AdcpError('INVALID_REQUEST', 'account is required', { field: 'account' })
  const snapshot = await services.products.get(db, tenant, principal)
  const { declare } = snapshot
  const { byId } = await servedProducts(context, snapshot)
  const proposal = asBought(await proposalNamed(request.proposal_id, context, snapshot), context)
  const sold = agreed ? withAgreedPrices(byId, agreed) : atFirmPrices(byId, proposal)
  const products = principal.conformance ? withGoals(sold, request) : sold
  const planning = {
    mediaBuyId: `mb_${randomUUID()}`,
    accountId: account.accountId,
    principalId: principal.principalId,
    actor: principal.agentUrl ?? principal.name,
    products,
    declare,
    keepsOf: keptTargeting(context),
    proposal,
    ...(request.proposal_id !== undefined &&
      !proposal && { openProposals: await openProposalIds(context, { plans: snapshot.plans, offered: byId }) }),
    now,
    timeZone: timeZoneOf(tenant.settings, services.wiring.timeZone),
  }
  const shares = proposal?.allocations.filter(({ allocation_percentage: percent }) => percent > 0) ?? []
  const planned = await ofProposal(
    request,
    () => shares.map(({ product_id: productId }) => ({ productId })),
    () => planMediaBuy(principal.conformance ? withBidsAtFloor(request, products) : request, planning),
  )
  const buy = withHours(context, planned, products)
  // The official runner bids on fixed prices, and by the floor of another product.
  if (!principal.conformance) {
    requireBids(request.packages, buy.packages, 'packages')
    requireReportFrequency(request, buy.packages, products)
  }
  await requireBuyerData(context, account.accountId, request.packages, 'packages')
  await requireSignals(context, newPackages(request.packages, 'packages'), products)
  const assignments = buy.packages.flatMap(({ packageId }, index) => {
    const list = assignmentsIn(request.packages?.[index])
    return list.length > 0 ? [[packageId, list] as const] : []
  })
  await requireAssignable(context, request, buy, products)
  return {
    buy,
    products,
    assignments,
    missesCap: proposal !== undefined && missesCap(proposal),
    notCarried: proposal && !request.packages ? partsNotCarried(proposal) : [],
    plannedDays: proposal && flightOfProposal(proposal),
  }
}

/** The products of a request take the goals of official stories (`--conformance`). */
function withGoals(products: ReadonlyMap<string, Product>, { packages = [] }: PlacedOrder): ReadonlyMap<string, Product> {
  const named = packages.flatMap(({ product_id: id }) => products.get(id) ?? [])
  return new Map([...products, ...named.map((product) => [product.id, withStoryGoals(product)] as const)])
}

/** A draft as if it were finalized, where official stories of 3.0 buy it as it is (`--conformance`). */
function asBought(proposal: Proposal | undefined, { principal, contract }: AuthenticatedContext): Proposal | undefined {
  const isTaken = principal.conformance && !contract.rules.finalizedPurchases && proposal?.proposal_status === 'draft'
  return proposal && isTaken ? { ...proposal, proposal_status: 'committed' } : proposal
}

/** The request with bids below the floor of their option at the floor: the official runner takes its bids from the first product of an answer. */
function withBidsAtFloor({ packages, ...request }: PlacedOrder, products: PlannedOrder['products']): PlacedOrder {
  if (!packages) return request
  return {
    ...request,
    packages: packages.map((pkg) => {
      const options = products.get(pkg.product_id)?.offer.pricing_options ?? []
      const option = options.find(({ pricing_option_id: id }) => id === pkg.pricing_option_id)
      const floor = option && 'floor_price' in option ? option.floor_price : undefined
      const bid = bidOf(pkg)
      return bid && floor !== undefined && bid.amount < floor ? { ...pkg, bidding: undefined, bid_price: floor } : pkg
    }),
  }
}

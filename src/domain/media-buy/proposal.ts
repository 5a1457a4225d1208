import { AdcpError } from '../../protocol/errors.ts'
import type { SoldFlight } from '../calendar/time-units.ts'
import { budgetToMicros, MICROS_PER_UNIT, microsToAmount, minorUnitMicros, split } from '../money.ts'
import { flightOfProposal } from '../product/flight-id.ts'
import { limitOverlay } from '../product/limited-plan.ts'
import { optionOn, pricingOption } from '../product/negotiated-price.ts'
import { flatPrice, mostSpend, type Product } from '../product/product.ts'
import type { Allocation, InsertionOrder, Proposal } from '../product/proposal.ts'
import { startDay } from '../product/season.ts'
import type { Amount, OrderAcceptance, OrderRequest, ProposedPackage } from './order-request.ts'

/** What a proposal is bought with: products as offered, the buyer, and when. */
export interface ProposalTerms {
  readonly products: ReadonlyMap<string, Product>
  readonly principalId: string
  readonly now: Date
  /** Of the order; undefined where its dates are refused. */
  readonly flight: SoldFlight | undefined
}

/**
 * Turns a proposal into packages: the allocation percentages of `total_budget`, split in payable amounts that add up to it exactly.
 * Throws PROPOSAL_EXPIRED, PROPOSAL_NOT_COMMITTED, IO_REQUIRED, INVALID_REQUEST (currency, wrong `io_id`) or BUDGET_TOO_LOW.
 */
export function packagesOf(
  proposal: Proposal,
  request: OrderRequest,
  { products, principalId, now, flight }: ProposalTerms,
): ProposedPackage[] {
  requireExecutable(proposal, request, now)
  const { total_budget: total } = request
  if (!total) throw new AdcpError('INVALID_REQUEST', 'total_budget is required with proposal_id', { field: 'total_budget' })
  requireMinimum(proposal, total)
  // What was made for days has their prices, and is refused on days of other ones.
  const priced = flightOfProposal(proposal) ? proposal : pricedOn(proposal, { products, principalId, flight })
  return allocatedPackages(priced, total, { products, principalId, flight })
}

/** A proposal at the prices of a flight: that of the season in which it starts, or the listed one. */
export function pricedOn<P extends Pick<Proposal, 'allocations'>>(
  proposal: P,
  { products, principalId, flight }: Pick<ProposalTerms, 'products' | 'principalId' | 'flight'>,
): P {
  const allocations = proposal.allocations.map((allocation) => {
    const startsAt = allocation.start_time ?? flight?.startsAt
    const product = products.get(allocation.product_id)
    const option =
      startsAt === undefined
        ? undefined
        : product && optionOn(product, allocation.pricing_option_id, principalId, startDay({ startsAt }))
    return option ? { ...allocation, pricing_option_id: option.pricing_option_id } : allocation
  })
  return { ...proposal, allocations }
}

/**
 * Packages of a budget (major units) split by the shares of a proposal, in payable amounts that add up to it exactly, limited to the countries of the proposal; shares of nothing are none.
 * What has one price for the flight gets that: the others have the rest by their shares, and it is left over where there are none.
 */
export function allocatedPackages(
  proposal: Pick<Proposal, 'allocations' | 'ext'>,
  total: Amount,
  { products, principalId, flight }: Pick<ProposalTerms, 'products' | 'principalId' | 'flight'>,
): ProposedPackage[] {
  const totalMicros = budgetToMicros(total.amount, total.currency, 'total_budget.amount')
  const minor = minorUnitMicros(total.currency)
  const payable = (price: number) => Math.ceil(Math.round(price * MICROS_PER_UNIT) / minor) * minor
  const parts = proposal.allocations.map(({ product_id: id, pricing_option_id, start_time, end_time, ...allocation }): Part => {
    const product = products.get(id)
    const option = product && pricingOption(product, pricing_option_id, principalId)
    const own = flight && { ...flight, startsAt: start_time ?? flight.startsAt, endsAt: end_time ?? flight.endsAt }
    const [flat, most] = option ? [flatPrice(option, own), mostSpend(option, own)] : []
    return {
      weight: allocation.allocation_percentage,
      ...(flat !== undefined && { flat: payable(flat) }),
      ...(most !== undefined && Number.isFinite(most) && { most: payable(most) }),
    }
  })
  const budgets = splitWithin(totalMicros, parts, minor)
  return proposal.allocations.flatMap((allocation, index): ProposedPackage[] => {
    const budget = budgets[index] ?? 0
    if (budget === 0) return []
    const product = products.get(allocation.product_id)
    const overlay = {
      ...limitOverlay(proposal, product),
      ...(allocation.daypart_targets && { daypart_targets: allocation.daypart_targets }),
    }
    return [
      {
        product_id: allocation.product_id,
        pricing_option_id: optionOf(allocation, product, total.currency, principalId),
        budget: microsToAmount(budget),
        ...(allocation.start_time !== undefined && { start_time: allocation.start_time }),
        ...(allocation.end_time !== undefined && { end_time: allocation.end_time }),
        ...(Object.keys(overlay).length > 0 && { targeting_overlay: overlay }),
      },
    ]
  })
}

/** What is to be paid of a total: a part by weight, one price whatever the weight (`flat`), or no more than so much. Micros. */
interface Part {
  readonly weight: number
  readonly flat?: number
  readonly most?: number
}

/** Splits a total by weight: what is above the most of a part goes to the others, and to nobody where all have their most. A total that does not pay every price is split by weight alone. */
function splitWithin(total: number, parts: readonly Part[], step: number): number[] {
  const fixed = new Map(parts.flatMap(({ flat }, index) => (flat === undefined ? [] : [[index, flat] as const])))
  for (;;) {
    const rest = total - [...fixed.values()].reduce((sum, micros) => sum + micros, 0)
    if (rest < 0) break
    const weights = parts.map(({ weight }, index) => (fixed.has(index) ? 0 : weight))
    const budgets = weights.every((weight) => weight === 0) ? weights : split(rest, weights, step)
    const over = budgets.findIndex((budget, index) => budget > (parts[index]?.most ?? Number.POSITIVE_INFINITY))
    if (over === -1) return budgets.map((budget, index) => fixed.get(index) ?? budget)
    fixed.set(over, parts[over]?.most ?? 0)
  }
  return split(
    total,
    parts.map(({ weight }) => weight),
    step,
  )
}

/** Throws what keeps a proposal from being bought: PROPOSAL_EXPIRED, PROPOSAL_NOT_COMMITTED or IO_REQUIRED. */
export function requireExecutable(proposal: Proposal, request: Pick<OrderRequest, 'io_acceptance'>, now: Date): void {
  if (proposal.expires_at !== undefined && Date.parse(proposal.expires_at) <= now.getTime()) {
    throw new AdcpError('PROPOSAL_EXPIRED', 'the proposal has expired', { field: 'proposal_id' })
  }
  if (proposal.proposal_status === 'draft') {
    throw new AdcpError('PROPOSAL_NOT_COMMITTED', 'the proposal is a draft; finalize it first', {
      field: 'proposal_id',
      suggestion: `call get_products with ${JSON.stringify({ buying_mode: 'refine', refine: [{ scope: 'proposal', proposal_id: proposal.proposal_id, action: 'finalize' }] })}`,
    })
  }
  requireSigned(proposal.insertion_order, request.io_acceptance)
}

/** How an insertion order is accepted (io_acceptance of create_media_buy and accept_proposal), in words. */
export function acceptanceForm({ io_id }: Pick<InsertionOrder, 'io_id'>): string {
  return `io_acceptance {"io_id": "${io_id}", "accepted_at": "2027-03-01T09:30:00Z", "signatory": "…"} (when it was accepted, and the name of the one who did)`
}

/** Throws IO_REQUIRED where an insertion order has to be accepted and was not, INVALID_REQUEST for another one. */
export function requireSigned(order: InsertionOrder | undefined, acceptance: OrderAcceptance | undefined): void {
  if (!order?.requires_signature) return
  if (!acceptance) {
    throw new AdcpError('IO_REQUIRED', `the proposal needs an accepted insertion order: ${acceptanceForm(order)}`, {
      field: 'io_acceptance',
      details: { io_id: order.io_id },
    })
  }
  if (acceptance.io_id !== order.io_id) {
    throw new AdcpError(
      'INVALID_REQUEST',
      `io_acceptance.io_id is not the insertion order of the proposal, which is "${order.io_id}"`,
      {
        field: 'io_acceptance.io_id',
      },
    )
  }
}

function requireMinimum({ total_budget_guidance: guidance }: Proposal, total: Amount): void {
  if (guidance?.min === undefined || (guidance.currency !== undefined && guidance.currency !== total.currency)) return
  if (total.amount >= guidance.min) return
  throw new AdcpError('BUDGET_TOO_LOW', `total_budget.amount is below the proposal's minimum of ${guidance.min}`, {
    field: 'total_budget.amount',
    details: { minimum_budget: guidance.min, currency: total.currency },
  })
}

/** The option that the allocation names, else the product's first one in the currency of the budget. */
function optionOf(allocation: Allocation, product: Product | undefined, currency: string, buyer: string): string {
  const option =
    allocation.pricing_option_id === undefined
      ? product?.offer.pricing_options.find((candidate) => candidate.currency === currency)
      : product && pricingOption(product, allocation.pricing_option_id, buyer)
  if (option && option.currency !== currency) {
    throw new AdcpError('INVALID_REQUEST', `total_budget.currency must be ${option.currency} for this proposal`, {
      field: 'total_budget.currency',
    })
  }
  return option?.pricing_option_id ?? allocation.pricing_option_id ?? ''
}

import type { Flight } from '../calendar/flight.ts'
import { HOUR_MS } from '../calendar/instant.ts'
import { type BudgetLimit, withinLimit } from './budget-limit.ts'
import type { Share } from './draft-id.ts'
import { forecastAt } from './forecast-budget.ts'
import { pricingOption } from './negotiated-price.ts'
import type { PricingOption } from './pricing-option.ts'
import { flatPrice, minimumSpend, mostSpend, type Product } from './product.ts'
import type { ProductsById } from './product-list.ts'
import type { PlanDocument } from './products-file.ts'
import type { Allocation, DatedProposal, Proposal } from './proposal.ts'
import { seasonalId } from './season.ts'

/** Indicative prices are recalculated after a week; a hold keeps inventory from others, so it is short. */
const DRAFT_TTL_MS = 7 * 24 * HOUR_MS
const HOLD_TTL_MS = 48 * HOUR_MS

export interface ProposalFrame {
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly rationales?: ReadonlyMap<string, string>
  readonly briefAlignment?: string
  readonly budget?: BudgetLimit
  /** The principal that it is for. */
  readonly buyer?: string | undefined
  readonly guidance?: Proposal['total_budget_guidance']
  /** The flight that it is for, where that is known: what is sold by time costs all of it. */
  readonly flight?: Flight | undefined
}

interface Line {
  readonly share: Share
  readonly product: Product
  readonly option: PricingOption
}

/**
 * A draft over shares of products, priced now. Undefined when a product or option of it is not among `products`.
 * Percentages sum to 100.
 */
export function draftProposal(
  shares: readonly Share[],
  products: ProductsById,
  frame: ProposalFrame,
  now: Date,
): DatedProposal | undefined {
  const lines = shares.flatMap((share): Line[] => {
    const product = products.get(share.productId)
    const option = product && pricingOption(product, share.optionId, frame.buyer)
    return product && option ? [{ share, product, option }] : []
  })
  const currency = lines[0]?.option.currency
  if (currency === undefined || lines.length !== shares.length || lines.some((line) => line.option.currency !== currency))
    return undefined
  const priced = lines.map(({ share: { percent }, option }) => ({ option, percent }))
  const guidance = guidanceOf(priced, currency, frame)
  const budget = guidance.recommended
  return {
    proposal_id: frame.id,
    name: frame.name,
    // Of a firm proposal that is revised, the draft is not firm.
    ...(frame.description !== undefined && { description: frame.description.replace(FIRM, INDICATIVE) }),
    allocations: lines.map((line) => allocationOf(line, budget, frame)),
    proposal_status: 'draft',
    expires_at: new Date(now.getTime() + DRAFT_TTL_MS).toISOString(),
    total_budget_guidance: guidance,
    ...(frame.briefAlignment !== undefined && { brief_alignment: frame.briefAlignment }),
    ...totalForecast(lines, budget, currency),
  }
}

/** Shares of an allocation list; an allocation that names no pricing option cannot be priced and is left out. */
export function sharesOf(
  allocations: readonly Pick<Allocation, 'product_id' | 'pricing_option_id' | 'allocation_percentage'>[],
): Share[] {
  return allocations.flatMap(({ product_id, pricing_option_id, allocation_percentage }) =>
    pricing_option_id === undefined
      ? []
      : [{ productId: product_id, optionId: pricing_option_id, percent: allocation_percentage }],
  )
}

/** The draft of a plan that the publisher curates; where `products` have the price of a season in place of the one that it names, at that. */
export function curatedProposal(
  plan: PlanDocument,
  products: ProductsById,
  frame: Pick<ProposalFrame, 'budget' | 'briefAlignment' | 'flight'>,
  now: Date,
): DatedProposal | undefined {
  const rationales = new Map(
    plan.allocations.flatMap(({ product_id, rationale }) => (rationale === undefined ? [] : [[product_id, rationale]])),
  )
  return draftProposal(
    sharesOf(plan.allocations).map(({ optionId, ...share }) => ({
      ...share,
      optionId: seasonalId(products.get(share.productId)?.offer.pricing_options ?? [], optionId),
    })),
    products,
    {
      id: plan.proposal_id,
      name: plan.name,
      ...(plan.description !== undefined && { description: plan.description }),
      ...(plan.total_budget_guidance && { guidance: plan.total_budget_guidance }),
      rationales,
      ...frame,
    },
    now,
  )
}

/** A proposal that was bought as a draft again: its shares and budget, without what was firm. */
export function draftAgain({ insertion_order: _order, ext, ...proposal }: Proposal, now: Date): DatedProposal {
  const { firm_prices: _prices, ...kept }: { firm_prices?: unknown } & object = ext ?? {}
  return {
    ...proposal,
    ...(proposal.description !== undefined && { description: proposal.description.replace(FIRM, INDICATIVE) }),
    proposal_status: 'draft',
    expires_at: new Date(now.getTime() + DRAFT_TTL_MS).toISOString(),
    ...(Object.keys(kept).length > 0 && { ext: kept }),
  }
}

export interface HoldTerms {
  readonly publisher: string | undefined
  readonly advertiser: string | undefined
  /** Whether a product of the proposal needs approval by a person at the seller: then the order has to be accepted in writing. */
  readonly requiresSignature: boolean
}

/** Makes a draft firm: its prices and products stand until the hold lapses. */
export function commitProposal(draft: Proposal, terms: HoldTerms, now: Date): DatedProposal {
  const { description } = draft
  return {
    ...draft,
    ...(description !== undefined && { description: description.replace(INDICATIVE, FIRM) }),
    proposal_status: 'committed',
    expires_at: new Date(now.getTime() + HOLD_TTL_MS).toISOString(),
    insertion_order: {
      io_id: `io_${draft.proposal_id}`.slice(0, 255),
      requires_signature: terms.requiresSignature,
      terms: {
        ...(terms.publisher !== undefined && { publisher: terms.publisher }),
        ...(terms.advertiser !== undefined && { advertiser: terms.advertiser }),
      },
    },
  }
}

/** What the description of a generated plan says of its prices, as a draft and once it is firm. */
export const INDICATIVE = 'Prices are indicative until the plan is finalized.'
const FIRM = 'Prices are firm until it expires.'

/** A proposal in a list: the forecast of the whole, without those of its parts, which a refinement of the proposal shows. */
export function proposalRow(proposal: Proposal): Proposal {
  const allocations = proposal.allocations.map(({ forecast: _forecast, tags: _tags, ...allocation }) => allocation)
  return { ...proposal, allocations }
}

/** Whether a proposal can no longer be bought or finalized. */
export function isExpired(proposal: Proposal, now: Date): boolean {
  return proposal.expires_at !== undefined && Date.parse(proposal.expires_at) <= now.getTime()
}

function allocationOf({ share, product, option }: Line, budget: number, { rationales }: ProposalFrame): Allocation {
  const point = forecastAt(product.offer, option, cents((budget * share.percent) / 100))
  const channels = product.offer.channels ?? []
  const rationale = rationales?.get(share.productId)
  return {
    product_id: share.productId,
    allocation_percentage: share.percent,
    pricing_option_id: share.optionId,
    ...(rationale !== undefined && { rationale }),
    ...(channels.length > 0 && { tags: [...channels] }),
    ...(point && { forecast: { points: [point], forecast_range_unit: 'spend', method: 'modeled', currency: option.currency } }),
  }
}

/** A price of a plan with its part of the budget, in per cent. */
interface PricedShare {
  readonly option: PricingOption
  readonly percent: number
}

/**
 * Smallest total at which every line reaches its option's minimum, beside what has one price whatever its share, and a recommendation above it: what the buyer wants to spend,
 * where it says; else no more than what is sold at one price costs by its share.
 */
export function guidanceOf(
  lines: readonly PricedShare[],
  currency: string,
  { flight, ...frame }: Pick<ProposalFrame, 'budget' | 'flight' | 'guidance'>,
): { min: number; recommended: number; max?: number; currency: string } {
  const priced = lines.map((line) => ({ ...line, flat: flatPrice(line.option, flight) }))
  const flat = priced.reduce((sum, line) => sum + (line.flat ?? 0), 0)
  const open = priced.filter((line) => line.flat === undefined)
  const shared = open.reduce((sum, { percent }) => sum + percent, 0)
  const least = flat + Math.max(0, ...open.map(({ option, percent }) => (minimumSpend(option, flight) * shared) / percent))
  const most = Math.min(...lines.map(({ option, percent }) => (mostSpend(option, flight) * 100) / percent))
  const given = frame.guidance?.currency === currency ? frame.guidance : undefined
  const min = Math.ceil(Math.max(least, given?.min ?? 0))
  const asked: Partial<BudgetLimit> = frame.budget?.currency === currency ? frame.budget : {}
  const usual = asked.target ?? given?.recommended ?? Math.min(Math.max(10_000, min * 2), Math.floor(most))
  const recommended = Math.max(min, withinLimit(withinLimit(usual, asked), { max: given?.max }))
  return { min, recommended, ...(given?.max !== undefined && { max: Math.max(given.max, recommended) }), currency }
}

/** Impressions of all lines together, where a line forecasts any. */
function totalForecast(lines: readonly Line[], budget: number, currency: string): Pick<Proposal, 'forecast'> {
  const ranges = lines.flatMap(
    ({ share, product, option }) => forecastAt(product.offer, option, (budget * share.percent) / 100)?.metrics.impressions ?? [],
  )
  if (ranges.length === 0) return {}
  const sum = (bound: 'low' | 'mid' | 'high') => ranges.reduce((total, range) => total + (range[bound] ?? 0), 0)
  const impressions = { low: sum('low'), mid: sum('mid'), high: sum('high') }
  return {
    forecast: {
      points: [{ budget, label: 'untargeted', metrics: { impressions } }],
      forecast_range_unit: 'spend',
      method: 'modeled',
      currency,
    },
  }
}

function cents(amount: number): number {
  return Math.round(amount * 100) / 100
}

import type { CommercialTerms } from '../media-buy/commercial-terms.ts'
import type { Holding } from '../media-buy/inventory.ts'
import type { OrderRequest, ProposedPackage } from '../media-buy/order-request.ts'
import { canonicalForecast } from '../product/canonical-product.ts'
import type { WholeDays } from '../product/flight-id.ts'
import type { PricingOption } from '../product/pricing-option.ts'
import type { Question } from '../product/product-question.ts'
import type { DatedProposal } from '../product/proposal.ts'

/** The order that a proposal stands for, in the words of create_media_buy. */
export interface ProposedOrder extends Pick<OrderRequest, 'brand' | 'end_time' | 'advertiser_industry'> {
  readonly start_time: string
  readonly packages: readonly ProposedPackage[]
}

/** The terms of a proposal with dates and a budget (AdCP 3.2): they never change, whatever becomes of the offers. */
export interface Negotiated {
  readonly parentId?: string
  readonly terms: CommercialTerms
  /** Of `terms`, see `termsDigest`. */
  readonly digest: string
  readonly order: ProposedOrder
  /** The prices of the packages of `order`, in their order. */
  readonly prices: readonly PricingOption[]
  /** What of the inventory it takes; empty where nothing is guaranteed. */
  readonly holdings: readonly Holding[]
  /** The last moment at which the order could be made (ISO 8601 UTC): creatives are due, or the flight begins. */
  readonly latest: string
  /** What was asked: its filters hold for what is made of it. */
  readonly question: Question
  readonly opportunityId?: string
  /** Whether it was asked for by a sandbox agent or for a sandbox account: then it holds nothing real. */
  readonly simulated: boolean
}

/** How a proposal ended. */
export interface Ending {
  readonly outcome: 'accepted' | 'declined'
  /** ISO 8601 UTC. */
  readonly at: string
  readonly mediaBuyId?: string
  /** AdCP 3.2 enums/proposal-decline-reason, and the words beside it: what was said first stays. */
  readonly reason?: string
  readonly detail?: string
}

/** A proposal with its terms. */
export interface Snapshot {
  readonly proposal: DatedProposal
  readonly negotiated: Negotiated
}

/** The days of terms: the first, and the last one that is whole. */
export function daysOfTerms({ negotiated }: Pick<Snapshot, 'negotiated'>): WholeDays {
  const { start_time: start, end_time: end } = negotiated.terms
  return { first: start.slice(0, 10), last: new Date(Date.parse(end) - 1).toISOString().slice(0, 10) }
}

/** A snapshot as its buyer reads it (AdCP 3.2 core/canonical-proposal.json). */
export function presentSnapshot(snapshot: Snapshot): Readonly<Record<string, unknown>> {
  const { proposal } = snapshot
  const { total_budget_guidance: guidance } = proposal
  return {
    ...presentRefined(snapshot),
    ...(guidance && { total_budget_guidance: guidance }),
    ...canonicalForecast(proposal),
  }
}

/**
 * A snapshot as an answer of refine_proposals shows it: without the forecast and the guidance for a budget. The TypeScript client of 3.2 refuses the whole answer
 * for either, although the schema has both.
 */
export function presentRefined({ proposal, negotiated }: Snapshot): Readonly<Record<string, unknown>> {
  const { parentId, opportunityId, terms, digest } = negotiated
  const { insertion_order: order, description, brief_alignment: alignment } = proposal
  return {
    proposal_id: proposal.proposal_id,
    proposal_kind: 'new_media_buy',
    ...(parentId !== undefined && { parent_proposal_id: parentId }),
    ...(opportunityId !== undefined && { opportunity_id: opportunityId }),
    proposal_status: proposal.proposal_status ?? 'draft',
    expires_at: proposal.expires_at,
    name: proposal.name,
    ...(description !== undefined && { description }),
    ...(alignment !== undefined && { brief_alignment: alignment }),
    commercial_terms: terms,
    terms_digest: digest,
    ...(order && { insertion_order: order }),
  }
}

import { AdcpError } from '../../protocol/errors.ts'
import { requireSigned } from '../media-buy/proposal.ts'
import { isExpired } from '../product/proposals.ts'
import type { Ending, Snapshot } from './negotiated.ts'

/** INVALID_STATE for a proposal that was accepted or declined. `field` names its id in the request; `isRepeatable`: once it is finalized again it can be bought again. */
export function endedError(field: string, { outcome, mediaBuyId }: Ending, isRepeatable = false): AdcpError {
  const buy = mediaBuyId === undefined ? '' : ` as ${mediaBuyId}`
  return new AdcpError('INVALID_STATE', `${field}: the proposal was ${outcome} already${buy}`, {
    field,
    suggestion:
      outcome === 'accepted'
        ? `get_media_buys shows what it became${isRepeatable ? AGAIN : ''}`
        : 'request_proposals makes another one',
    ...(mediaBuyId !== undefined && { details: { media_buy_id: mediaBuyId } }),
  })
}

const AGAIN = "; to buy the same once more, finalize it again: get_products with buying_mode 'refine' and action 'finalize'"

/** What a buyer accepts a proposal with (AdCP 3.2 media-buy/accept-proposal-request.json). */
export interface Acceptance {
  readonly proposal_terms_digest: string
  readonly total_budget?: { readonly amount: number; readonly currency: string }
  readonly daily_budget_cap?: number
  readonly budget_cap_timezone?: string
  readonly io_acceptance?: NonNullable<Parameters<typeof requireSigned>[1]>
  readonly opportunity?: { readonly opportunity_id: string }
}

/**
 * Throws what keeps a proposal from being accepted: PROPOSAL_NOT_COMMITTED, PROPOSAL_EXPIRED, CONFLICT where the digest is not that of its terms, IO_REQUIRED, a
 * budget that is not that of the terms, another zone for the days of caps.
 */
export function requireAcceptable({ proposal, negotiated }: Snapshot, acceptance: Acceptance, now: Date): void {
  const { terms, digest, opportunityId } = negotiated
  if (isExpired(proposal, now)) {
    throw new AdcpError('PROPOSAL_EXPIRED', `proposal_id: the proposal expired at ${proposal.expires_at}`, {
      field: 'proposal_id',
      suggestion: 'revise or request a proposal, finalize it and accept what comes out',
    })
  }
  if (proposal.proposal_status !== 'committed') {
    throw new AdcpError('PROPOSAL_NOT_COMMITTED', 'proposal_id: the proposal is a draft; finalize it first', {
      field: 'proposal_id',
      suggestion: 'call refine_proposals with action "finalize" and accept the proposal of its answer',
    })
  }
  if (acceptance.proposal_terms_digest !== digest) {
    throw new AdcpError('CONFLICT', 'proposal_terms_digest is not the digest of the terms of this proposal', {
      field: 'proposal_terms_digest',
      recovery: 'correctable',
      suggestion: 'compare commercial_terms with what you agreed to, and send the terms_digest that came with them',
    })
  }
  requireSigned(proposal.insertion_order, acceptance.io_acceptance)
  const { total_budget: total } = acceptance
  if (total && (total.amount !== terms.total_budget?.amount || total.currency !== terms.total_budget.currency)) {
    const message = `total_budget must be that of the terms, ${terms.total_budget?.amount} ${terms.total_budget?.currency}; leave it out`
    throw new AdcpError('INVALID_REQUEST', message, { field: 'total_budget' })
  }
  if (acceptance.budget_cap_timezone !== undefined)
    throw new AdcpError(
      'UNSUPPORTED_FEATURE',
      'budget_cap_timezone is not kept here: leave it out, days of caps are those of UTC',
      {
        field: 'budget_cap_timezone',
      },
    )
  const named = acceptance.opportunity?.opportunity_id
  if (named === undefined || opportunityId === undefined || named === opportunityId) return
  throw new AdcpError('INVALID_REQUEST', 'opportunity.opportunity_id is not that of the proposal', {
    field: 'opportunity.opportunity_id',
  })
}

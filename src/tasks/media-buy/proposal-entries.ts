import type { GetProductsRequest } from '@adcp/sdk/types'
import { requireFinalizeAlone } from '../../domain/product/finalize-alone.ts'
import type { RefineOutcome } from '../../domain/product/product-question.ts'
import type { Proposal } from '../../domain/product/proposal.ts'
import { type ProposalContext, refineProposal } from '../../domain/product/refine-proposals.ts'
import { atFirmPrices, withFirmPrices } from '../../domain/proposal/firm-prices.ts'
import { commitmentEnd, holdPolicy } from '../../domain/proposal/hold-policy.ts'
import { endedError } from '../../domain/proposal/require-open.ts'
import type { InTransaction, PublicContext } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findProposal, keepDraft, newestProposalIds, saveProposal } from '../../store/product/proposals.ts'
import { holdFor, poolOfTerms } from './held-proposals.ts'
import { holdingNote } from './hold-limits.ts'
import { heldNote, holdPlan } from './hold-plan.ts'
import { reopened } from './open-proposal.ts'
import { refinedWithinLeft } from './plan-within-left.ts'
import { planningIn } from './proposal-planning.ts'
import type { VisibleProducts } from './visible-products.ts'

export interface AppliedEntries {
  readonly proposals: readonly Proposal[]
  /** Outcomes of proposal-scope entries by their position in `refine`. */
  readonly outcomes: ReadonlyMap<number, RefineOutcome>
}

/**
 * Applies the proposal-scope entries of a refine request in order and keeps what changed for the caller. Undefined when there are
 * none. What is refined is kept under an id of its own, what is finalized under the id that it has. Throws INVALID_REQUEST when one is finalized beside something else, PROPOSAL_NOT_FOUND, PROPOSAL_EXPIRED, and CONFLICT when a proposal changed meanwhile.
 */
export async function applyProposalEntries(
  request: GetProductsRequest,
  context: InTransaction<PublicContext>,
  { plans, publisher }: VisibleProducts,
  products: Pick<ProposalContext, 'offered' | 'allowed' | 'search' | 'names'>,
): Promise<AppliedEntries | undefined> {
  const { tx, tenant, principal, account, now } = context
  requireFinalizeAlone(request.refine)
  const entries = (request.refine ?? []).flatMap((entry, position) => (entry.scope === 'proposal' ? [{ entry, position }] : []))
  if (entries.length === 0) return undefined
  const outcomes = new Map<number, RefineOutcome>()
  const proposals = new Map<string, Proposal>()
  for (const { entry, position } of entries) {
    if (!principal) {
      outcomes.set(position, {
        scope: 'proposal',
        proposal_id: entry.proposal_id,
        status: 'unable',
        notes: 'proposals need credentials',
      })
      continue
    }
    const stored = reopened(await findProposal(tx, principal, entry.proposal_id), { plans, offered: products.offered, now })
    if (stored?.ending) throw endedError(`refine[${position}].proposal_id`, stored.ending)
    const { start_date: first, end_date: last } = request.filters ?? {}
    const asked = first !== undefined && last !== undefined ? { first, last } : undefined
    const isOpen = asked !== undefined && asked.first <= asked.last && asked.last >= now.toISOString().slice(0, 10)
    const known = {
      ...products,
      plans,
      stored: stored?.proposal,
      own: stored ? [] : await newestProposalIds(tx, principal, now),
      publisher: publisher?.name,
      advertiser: request.brand?.domain,
      now,
      isNegotiated: stored?.negotiated !== undefined,
      ...(isOpen && { days: asked }),
    }
    const made = refineProposal(entry, known, `refine[${position}].proposal_id`)
    const refined = await refinedWithinLeft(made, entry, known, asked, { ...context, principal })
    outcomes.set(position, refined.outcome)
    if (!refined.proposal) {
      proposals.delete(entry.proposal_id)
      continue
    }
    proposals.set(refined.proposal.proposal_id, refined.proposal)
    if (!refined.changed) continue
    if (refined.proposal.proposal_status === 'draft') {
      await keepDraft(tx, principal, refined.proposal, account?.accountId, now)
      continue
    }
    const expectedRevision = stored?.revision ?? 0
    const { negotiated } = stored ?? {}
    if (!negotiated) {
      const { terms: today } = await planningIn({ ...context, principal })
      const terms = { ...today, products: atFirmPrices(today.products, stored?.proposal) }
      const { brand } = request
      const held = await holdPlan(
        withFirmPrices(refined.proposal, terms),
        { days: asked, brand, terms },
        { ...context, principal },
      )
      if ('fault' in held) {
        outcomes.set(position, {
          scope: 'proposal',
          proposal_id: entry.proposal_id,
          status: 'unable',
          notes: `not possible: ${held.fault}; the proposal stays as it is`,
        })
        proposals.delete(refined.proposal.proposal_id)
        continue
      }
      outcomes.set(position, { scope: 'proposal', proposal_id: entry.proposal_id, status: 'applied', notes: held.notes })
      proposals.set(held.proposal.proposal_id, held.proposal)
      await saveProposal(tx, principal, held.proposal, { accountId: account?.accountId, expectedRevision }, now)
      continue
    }
    // Its dates are known: what it commits is held, until it has to be bought.
    const expiresAt = commitmentEnd(holdPolicy(tenant.settings), negotiated.latest, now)
    const proposal = { ...refined.proposal, expires_at: expiresAt }
    outcomes.set(position, {
      scope: 'proposal',
      proposal_id: entry.proposal_id,
      status: 'applied',
      notes: heldNote(proposal, negotiated),
    })
    proposals.set(proposal.proposal_id, proposal)
    await saveProposal(tx, principal, proposal, { accountId: stored?.accountId, expectedRevision }, now)
    const wanted = { proposalId: proposal.proposal_id, negotiated, expiresAt }
    const holder = { tx, tenant, principal, now }
    const fault = await holdFor(holder, wanted, products.offered)
    if (fault !== undefined) {
      const field = `refine[${position}].proposal_id`
      const fitting = await holdingNote(holder, { proposal, negotiated }, poolOfTerms(holder, negotiated), products.offered)
      throw new AdcpError('PRODUCT_UNAVAILABLE', `${field}: nothing can be held: ${fault}${fitting}`, { field })
    }
  }
  return { proposals: [...proposals.values()], outcomes }
}

/** Whether a request refines or finalizes proposals, which are stored then. Takes any values. */
export function isChanging({
  buying_mode: mode,
  refine,
}: {
  readonly buying_mode?: unknown
  readonly refine?: unknown
}): boolean {
  return mode === 'refine' && Array.isArray(refine) && refine.some(isAboutProposal)
}

/** Whether an entry of `refine` is about a proposal. */
export function isAboutProposal(entry: unknown): boolean {
  return typeof entry === 'object' && entry !== null && 'scope' in entry && entry.scope === 'proposal'
}

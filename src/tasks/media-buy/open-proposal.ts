import { type OpenPlans, openPlanIds, openProposal } from '../../domain/product/open-plan.ts'
import type { Proposal } from '../../domain/product/proposal.ts'
import { draftAgain } from '../../domain/product/proposals.ts'
import { endedError } from '../../domain/proposal/require-open.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import type { ProductSnapshot } from '../../store/product/product-cache.ts'
import { findProposal, newestProposalIds, type StoredProposal } from '../../store/product/proposals.ts'

/** What is stored of a proposal that a buyer negotiates about: one without terms of its own that was bought is a draft again, since a new commitment is a new sale. */
export function reopened(stored: StoredProposal | undefined, open: Omit<OpenPlans, 'stored'>): StoredProposal | undefined {
  if (!stored || stored.negotiated || stored.ending?.outcome !== 'accepted') return stored
  const { proposal } = stored
  const anew = openProposal(proposal.proposal_id, { ...open, stored: undefined }) ?? draftAgain(proposal, open.now)
  return { ...stored, proposal: anew, ending: undefined }
}

/** Ids of proposals that are open for an agent: its own, newest first, and the plans of the publisher. */
export async function openProposalIds(
  { db, principal, now }: Pick<AuthenticatedContext, 'db' | 'principal' | 'now'>,
  open: Pick<OpenPlans, 'plans' | 'offered'>,
): Promise<string[]> {
  return [...(await newestProposalIds(db, principal, now)), ...openPlanIds({ ...open, now })]
}

/**
 * The proposal that a request names: as kept for the agent, a plan of the publisher, or a draft that its id spells out. Undefined
 * without an id, and for an id that leads nowhere. Throws INVALID_STATE for one that was accepted or declined.
 */
export async function proposalNamed(
  id: string | undefined,
  { db, principal, now }: AuthenticatedContext,
  { plans, byId: offered }: ProductSnapshot,
): Promise<Proposal | undefined> {
  if (id === undefined) return undefined
  const kept = await findProposal(db, principal, id)
  if (kept?.ending) throw endedError('proposal_id', kept.ending, kept.negotiated === undefined)
  return openProposal(id, { stored: kept?.proposal, plans, offered, now })
}

import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { Proposal } from '../../domain/product/proposal.ts'
import { isExpired } from '../../domain/product/proposals.ts'
import type { Db } from '../../store/database.ts'
import { findProposal } from '../../store/product/proposals.ts'

/** Plans of an answer, those that the caller finalized as they were committed: the id of a plan follows from its content, so that the same brief leads to the same plan again. */
export async function asCommitted(
  plans: readonly Proposal[],
  { tx, principal, now }: { readonly tx: Db; readonly principal: PrincipalRef | undefined; readonly now: Date },
): Promise<readonly Proposal[]> {
  if (!principal) return plans
  const shown: Proposal[] = []
  for (const plan of plans) {
    const stored = await findProposal(tx, principal, plan.proposal_id)
    const firm = stored && !stored.ending && !isExpired(stored.proposal, now) ? stored.proposal : undefined
    shown.push(firm?.proposal_status === 'committed' ? firm : plan)
  }
  return shown
}

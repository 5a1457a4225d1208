import { noSuchProposal } from '../../domain/product/proposal-not-found.ts'
import type { Ending } from '../../domain/proposal/negotiated.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { endProposal, findProposal, newestProposalIds } from '../../store/product/proposals.ts'
import { releaseHold } from './held-proposals.ts'
import { DECLINE_PROPOSALS } from './input-notes.ts'
import { requireEachOnce } from './refinement-request.ts'

/** Proposals that a buyer takes no further (AdCP 3.2 media-buy/decline-proposals-request.json). */
interface Declines {
  readonly declines: readonly { readonly proposal_id: string; readonly reason: string; readonly detail?: string }[]
  readonly opportunity?: { readonly opportunity_id: string }
}

export const declineProposals = defineTask<Declines>()({
  name: 'decline_proposals',
  since: '3.2',
  mutating: true,
  access: 'authenticated',
  scope: 'products',
  summary: 'Decline proposals for good, with a reason; what they hold is free again.',
  input: DECLINE_PROPOSALS,
  async handle({ declines, opportunity }, context) {
    requireEachOnce(declines, 'declines')
    const results = []
    for (const decline of declines) {
      const reason = await declined(decline, opportunity?.opportunity_id, context)
      const { proposal_id } = decline
      results.push(reason === undefined ? { proposal_id, outcome: 'declined' } : { proposal_id, outcome: 'unable', reason })
    }
    return { results }
  },
})

/** Ends a proposal; gives why it cannot be declined. One that was declined before keeps its first reason. */
async function declined(
  { proposal_id: id, reason, detail }: Declines['declines'][number],
  opportunityId: string | undefined,
  context: InTransaction<AuthenticatedContext>,
): Promise<string | undefined> {
  const { tx, principal, now } = context
  const stored = await findProposal(tx, principal, id)
  if (!stored) return noSuchProposal(id, await newestProposalIds(tx, principal, now))
  if (opportunityId !== undefined && stored.negotiated?.opportunityId !== opportunityId)
    return 'the proposal does not belong to this opportunity'
  const at = now.toISOString()
  const ending: Ending = { outcome: 'declined', at, reason, ...(detail !== undefined && { detail }) }
  const isEnded = stored.ending === undefined && (await endProposal(tx, principal, id, ending))
  if (isEnded) await releaseHold(context, id)
  if (isEnded || stored.ending?.outcome === 'declined') return undefined
  const { mediaBuyId } = stored.ending ?? {}
  return `it was accepted${mediaBuyId === undefined ? '' : ` as ${mediaBuyId}`}: control_media_buy with canceled: true cancels what it became`
}

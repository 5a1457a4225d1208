import { flightOfProposal } from '../../domain/product/flight-id.ts'
import { openProposal } from '../../domain/product/open-plan.ts'
import { noSuchProposal } from '../../domain/product/proposal-not-found.ts'
import { isExpired } from '../../domain/product/proposals.ts'
import type { Snapshot } from '../../domain/proposal/negotiated.ts'
import { endedError } from '../../domain/proposal/require-open.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { listAccounts } from '../../store/account/accounts.ts'
import type { Db } from '../../store/database.ts'
import { findProposal } from '../../store/product/proposals.ts'
import { draftOf } from './draft-of-plan.ts'
import { openProposalIds, reopened } from './open-proposal.ts'
import type { Planning } from './proposal-planning.ts'
import type { Refinement } from './refinement-request.ts'

/** The proposal that an entry is about, or why it cannot be refined. */
export type Source = { readonly snapshot: Snapshot; readonly accountId: string | undefined } | { readonly reason: string }

/**
 * The proposal of an entry with its terms. One of get_products has none of its own: they are made here, for the usual flight and its recommended budget. Throws INVALID_STATE
 * for one that was declined, and for one to be finalized that is no draft.
 */
export async function sourceOf(
  { proposal_id: id, action }: Refinement,
  field: string,
  { db, context, planning }: { readonly db: Db; readonly context: AuthenticatedContext; readonly planning: Planning },
): Promise<Source> {
  const { principal, now } = context
  const { offered } = planning
  const { plans } = planning.visible
  const stored = reopened(await findProposal(db, principal, id), { plans, offered, now })
  const { ending } = stored ?? {}
  if (ending && (ending.outcome === 'declined' || action === 'finalize')) throw endedError(field, ending)
  if (ending) {
    const buy = ending.mediaBuyId ?? 'a media buy'
    return { reason: `accepted as ${buy}: control_media_buy and update_media_buy change it, canceled: true cancels it` }
  }
  const open = openProposal(id, { stored: stored?.proposal, plans, offered, now })
  if (!open) return { reason: noSuchProposal(id, await openProposalIds({ db, principal, now }, { plans, offered })) }
  if (isExpired(open, now)) return { reason: `it expired at ${open.expires_at}; request_proposals makes another one` }
  if (action === 'finalize' && open.proposal_status === 'committed')
    throw new AdcpError('INVALID_STATE', `${field}: the proposal is committed already; accept it, or revise it`, { field })
  if (stored?.negotiated) return { snapshot: { proposal: open, negotiated: stored.negotiated }, accountId: stored.accountId }
  const brand = await onlyBrand(db, context)
  if (brand === undefined) return { reason: 'it names no brand: request_proposals with brand or account makes one that does' }
  const days = flightOfProposal(open)
  const frame = {
    brand: { domain: brand },
    industry: undefined,
    question: days ? { filters: { start_date: days.first, end_date: days.last } } : {},
    opportunityId: undefined,
    simulated: principal.sandbox,
  }
  const made = draftOf(open, frame, planning, now)
  if (typeof made === 'string') return { reason: made }
  return {
    snapshot: { ...made, proposal: { ...made.proposal, proposal_id: id, expires_at: open.expires_at } },
    accountId: stored?.accountId,
  }
}

/** The brand that an agent buys for, where all its accounts are for the same. */
async function onlyBrand(db: Db, { principal }: AuthenticatedContext): Promise<string | undefined> {
  const { accounts } = await listAccounts(db, principal, {}, { after: undefined, limit: 50 })
  const domains = new Set(accounts.flatMap(({ document }) => document.brand?.domain ?? []))
  return domains.size === 1 ? [...domains][0] : undefined
}

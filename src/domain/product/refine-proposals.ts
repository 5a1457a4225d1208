import { AdcpError } from '../../protocol/errors.ts'
import { type Allowed, proposalFault } from './allowed-products.ts'
import { readAsk } from './ask.ts'
import { readDraftId } from './draft-id.ts'
import type { OfferedProducts } from './product-list.ts'
import type { PlanDocument } from './products-file.ts'
import {
  commitProposal,
  curatedProposal,
  type DatedProposal,
  draftProposal,
  isExpired,
  type Proposal,
  sharesOf,
} from './proposals.ts'
import { refinePlan } from './refine-plan.ts'
import type { RefineEntry, RefineOutcome } from './refine-products.ts'

export type ProposalEntry = Extract<RefineEntry, { scope: 'proposal' }>

export interface ProposalContext {
  /** Products that the caller may buy, by id. */
  readonly offered: OfferedProducts
  /** What the filters of the request leave of them. */
  readonly allowed: Allowed
  readonly plans: readonly PlanDocument[]
  /** The proposal as it was last stored for the caller, if it was. */
  readonly stored: Proposal | undefined
  readonly publisher: string | undefined
  /** Domain of the brand that the request is for. */
  readonly advertiser: string | undefined
  readonly now: Date
}

export interface RefinedProposal {
  /** Undefined: not to be shown (omitted, or it cannot be had). */
  readonly proposal: DatedProposal | undefined
  /** Whether the proposal changed and has to be stored. */
  readonly changed: boolean
  readonly outcome: RefineOutcome
}

/**
 * Applies one proposal-scope entry: `include` with an ask changes the shares and returns the proposal to draft, `finalize` makes
 * it firm, `omit` leaves it out. `field` is the path of its id in the request. Throws PROPOSAL_NOT_FOUND for an id that is unknown to the
 * caller and PROPOSAL_EXPIRED (AdCP 3.1 get_products, error codes). A result that the filters of the request do not allow is neither shown nor stored.
 */
export function refineProposal(entry: ProposalEntry, context: ProposalContext, field = 'proposal_id'): RefinedProposal {
  const refined = applyEntry(entry, context, field)
  const fault = refined.proposal && proposalFault(refined.proposal, context.allowed)
  if (fault === undefined) return refined
  const outcome = { scope: 'proposal', proposal_id: entry.proposal_id, status: 'unable', notes: fault } as const
  return { proposal: undefined, changed: false, outcome }
}

function applyEntry(entry: ProposalEntry, context: ProposalContext, field: string): RefinedProposal {
  const { now, offered } = context
  const outcome = (status: RefineOutcome['status'], notes?: string): RefineOutcome => ({
    scope: 'proposal',
    proposal_id: entry.proposal_id,
    status,
    ...(notes !== undefined && { notes }),
  })
  if (entry.action === 'omit') return { proposal: undefined, changed: false, outcome: outcome('applied') }
  const current = openProposal(entry.proposal_id, context)
  if (!current) {
    throw new AdcpError('PROPOSAL_NOT_FOUND', `${field}: no proposal with this id is open for you; ids come from get_products`, {
      field,
    })
  }
  if (isExpired(current, now)) {
    throw new AdcpError('PROPOSAL_EXPIRED', `${field}: the proposal has expired; send the brief again`, { field })
  }
  if (entry.action === 'finalize') {
    if (current.proposal_status === 'committed')
      return { proposal: current, changed: false, outcome: outcome('applied', 'already committed') }
    const committed = commitProposal(current, holdTerms(current, context), now)
    return { proposal: committed, changed: true, outcome: outcome('applied', `firm until ${committed.expires_at}`) }
  }
  if (entry.ask === undefined) return { proposal: current, changed: false, outcome: outcome('applied') }
  return askOfProposal(current, entry.ask, offered, now, outcome)
}

function askOfProposal(
  current: DatedProposal,
  text: string,
  offered: OfferedProducts,
  now: Date,
  outcome: (status: RefineOutcome['status'], notes?: string) => RefineOutcome,
): RefinedProposal {
  const ask = readAsk(text)
  const { shares, done, failed } = refinePlan(sharesOf(current.allocations), ask, offered)
  const guidance = current.total_budget_guidance
  const factor = ask.changes.reduce((product, change) => (change.kind === 'scale' ? product * change.factor : product), 1)
  const recommended = ask.budget?.currency === guidance?.currency ? ask.budget?.amount : undefined
  const target = recommended ?? (guidance?.recommended ?? 0) * factor
  const scaled =
    factor !== 1 || recommended !== undefined ? [`planned for ${Math.round(target)} ${guidance?.currency ?? ''}`.trim()] : []
  const applied = [...done, ...scaled]
  const refined =
    applied.length === 0
      ? undefined
      : draftProposal(
          shares,
          offered,
          {
            id: current.proposal_id,
            name: current.name,
            ...(current.description !== undefined && { description: current.description }),
            ...(current.brief_alignment !== undefined && { briefAlignment: current.brief_alignment }),
            rationales: new Map(
              current.allocations.flatMap(({ product_id, rationale }) =>
                rationale === undefined ? [] : [[product_id, rationale]],
              ),
            ),
            ...(guidance?.currency !== undefined && { budget: { target, currency: guidance.currency } }),
          },
          now,
        )
  if (!refined) {
    const notes = failed.length > 0 ? failed.join('; ') : 'the ask names no change of shares or budget'
    return { proposal: current, changed: false, outcome: outcome('unable', notes) }
  }
  const notes = [...applied, ...failed.map((reason) => `not possible: ${reason}`)].join('; ')
  return { proposal: refined, changed: true, outcome: outcome(failed.length > 0 ? 'partial' : 'applied', notes) }
}

/** The proposal of an id: the one stored for the caller, a plan of the publisher, or a draft that its id spells out. */
export function openProposal(
  id: string,
  { stored, plans, offered, now }: Pick<ProposalContext, 'stored' | 'plans' | 'offered' | 'now'>,
): DatedProposal | undefined {
  if (stored?.expires_at !== undefined) return { ...stored, expires_at: stored.expires_at }
  const plan = plans.find((candidate) => candidate.proposal_id === id)
  if (plan) return curatedProposal(plan, offered, {}, now)
  const draft = readDraftId(id, offered.values())
  return draft && draftProposal(draft.shares, offered, generatedFrame(id), draft.madeAt)
}

/** How a generated draft presents itself; the same whenever its id is named. */
export function generatedFrame(id: string): { id: string; name: string; description: string } {
  return {
    id,
    name: 'Best match plan',
    description:
      'The products that answer the brief best, weighted by how well they do. Prices are indicative until the plan is finalized.',
  }
}

function holdTerms(proposal: Proposal, { offered, publisher, advertiser }: ProposalContext) {
  const requiresSignature = proposal.allocations.some(({ product_id }) => offered.get(product_id)?.selling.approval === 'manual')
  return { publisher, advertiser, requiresSignature }
}

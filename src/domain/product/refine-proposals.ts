import { AdcpError } from '../../protocol/errors.ts'
import { proposalFault } from './allowed-products.ts'
import { type AskContext, askedPlan, redrafted, UNASKED } from './asked-plan.ts'
import { readBudgetId } from './budget-id.ts'
import { flightOfProposal, readFlightId, type WholeDays } from './flight-id.ts'
import { openPlanIds, openProposal } from './open-plan.ts'
import type { RefineEntry, RefineOutcome } from './product-question.ts'
import type { PlanDocument } from './products-file.ts'
import type { DatedProposal, Proposal } from './proposal.ts'
import { proposalNotFound } from './proposal-not-found.ts'
import { versionIdOf } from './proposal-version.ts'
import { commitProposal, isExpired, sharesOf } from './proposals.ts'
import { verdictOf } from './refine-verdict.ts'
import { seasonalId } from './season.ts'
import { startingOn } from './starting-on.ts'

export type ProposalEntry = Extract<RefineEntry, { scope: 'proposal' }>

export interface ProposalContext extends AskContext {
  readonly plans: readonly PlanDocument[]
  /** The proposal as it was last stored for the caller, if it was. */
  readonly stored: Proposal | undefined
  /** Ids of proposals that are kept for the caller, newest first: what an unknown id is answered with. */
  readonly own?: readonly string[]
  readonly publisher: string | undefined
  /** Domain of the brand that the request is for. */
  readonly advertiser: string | undefined
  /** The days of the request, which a plan that is refined is for; absent: those that it has. */
  readonly days?: WholeDays | undefined
  /** Whether it has terms with days already (AdCP 3.2 request_proposals). */
  readonly isNegotiated?: boolean
}

export interface RefinedProposal {
  /** Undefined: not to be shown (omitted, or it cannot be had). */
  readonly proposal: DatedProposal | undefined
  /** Whether the proposal changed and has to be stored. */
  readonly changed: boolean
  readonly outcome: RefineOutcome
}

/**
 * Applies one proposal-scope entry: `include` with an ask makes a draft of its own id from the proposal, which stays as it is; `finalize` makes
 * the proposal firm under its id, `omit` leaves it out. `field` is the path of its id in the request. Throws PROPOSAL_NOT_FOUND for an id that is unknown to the
 * caller and PROPOSAL_EXPIRED (AdCP 3.1 get_products, error codes). A result that the filters of the request do not allow is neither shown nor stored.
 */
export function refineProposal(entry: ProposalEntry, context: ProposalContext, field = 'proposal_id'): RefinedProposal {
  const refined = applyEntry(entry, context, field)
  // What is finalized gets the prices of the days that the request names, and is judged at them.
  const judged = refined.proposal && entry.action === 'finalize' ? atPricesOf(refined.proposal, context) : refined.proposal
  const fault = judged && proposalFault(judged, context.allowed)
  if (fault === undefined) return refined
  const outcome = { scope: 'proposal', proposal_id: entry.proposal_id, status: 'unable', notes: fault } as const
  return { proposal: undefined, changed: false, outcome }
}

/** What a buyer sends next of a proposal that is firm. */
const TO_BUY = 'create_media_buy with its proposal_id and total_budget buys it'

function applyEntry(entry: ProposalEntry, context: ProposalContext, field: string): RefinedProposal {
  const { now } = context
  const outcome = (status: RefineOutcome['status'], notes?: string): RefineOutcome => ({
    scope: 'proposal',
    proposal_id: entry.proposal_id,
    status,
    ...(notes !== undefined && { notes }),
  })
  if (entry.action === 'omit') return { proposal: undefined, changed: false, outcome: outcome('applied') }
  const current = currentProposal(entry.proposal_id, context)
  if (!current) {
    throw proposalNotFound(entry.proposal_id, field, [...(context.own ?? []), ...openPlanIds(context)])
  }
  if (isExpired(current, now)) {
    throw new AdcpError('PROPOSAL_EXPIRED', `${field}: the proposal has expired; send the brief again`, { field })
  }
  if (entry.action === 'finalize') {
    const isFirm = current.proposal_status === 'committed'
    // What was committed without days is held once a request names some.
    const isUnheld = isFirm && context.days !== undefined && !context.isNegotiated && !flightOfProposal(current)
    if (isFirm && !isUnheld) return { proposal: current, changed: false, outcome: alreadyFirm(current, context, outcome) }
    const committed = isFirm ? current : commitProposal(current, holdTerms(current, context), now)
    return { proposal: committed, changed: true, outcome: outcome('applied', `firm until ${committed.expires_at}`) }
  }
  // What is firm has the days that it is held for.
  const isFirm = current.proposal_status === 'committed'
  const moved = entry.ask === undefined && isFirm ? undefined : onDays(current, context)
  if (entry.ask === undefined && !moved) {
    const notes = isFirm ? otherDays(current, context) : undefined
    return { proposal: current, changed: false, outcome: outcome(notes === undefined ? 'applied' : 'unable', notes) }
  }
  const asked = entry.ask === undefined ? UNASKED : askedPlan(moved ?? current, entry.ask, context)
  const refined = asked.planned ?? moved
  const flight = moved && flightOfProposal(moved)
  const applied = [...(flight ? [`for ${flight.first} to ${flight.last}`] : []), ...asked.applied]
  if (!refined) {
    const { notes } = verdictOf([], asked.refused, 'the ask names no change of shares, prices or budget')
    return { proposal: current, changed: false, outcome: outcome('unable', notes) }
  }
  const nothing = entry.ask !== undefined && !asked.planned && asked.refused.length === 0
  const refused = nothing ? ['the ask names no change of shares, prices or budget'] : asked.refused
  const { status, notes } = verdictOf(applied, refused, '')
  const version = { ...refined, proposal_id: versionIdOf(current.proposal_id, refined) }
  return { proposal: version, changed: true, outcome: outcome(status, `${notes}; now proposal ${version.proposal_id}`) }
}

/** What became of a proposal that is finalized again: it is what it was, and the buyer hears until when, as at first. */
function alreadyFirm(
  current: DatedProposal,
  context: ProposalContext,
  outcome: (status: RefineOutcome['status'], notes: string) => RefineOutcome,
): RefineOutcome {
  const firm = `already committed, firm until ${current.expires_at}: ${TO_BUY}`
  const other = otherDays(current, context)
  return other === undefined ? outcome('applied', firm) : outcome('unable', `${other}; ${firm}`)
}

/** Why a firm proposal is not for the days of a request; undefined where it is, or the request names none. */
function otherDays(current: DatedProposal, { days }: ProposalContext): string | undefined {
  const own = flightOfProposal(current)
  if (!days || !own || (own.first === days.first && own.last === days.last)) return undefined
  return `not possible: it is firm for ${own.first} to ${own.last}; an ask, such as its budget, beside other days makes another proposal of it`
}

/** A proposal at the prices of flights that start on the first day of a request; as it is where the request names none, or its terms are agreed. */
function atPricesOf(proposal: DatedProposal, { days, offered, isNegotiated }: ProposalContext): DatedProposal {
  if (!days || isNegotiated) return proposal
  const then = startingOn(offered, days.first)
  const allocations = proposal.allocations.map((each) => {
    const { product_id: id, pricing_option_id: option } = each
    const options = then.get(id)?.offer.pricing_options ?? []
    return option === undefined ? each : { ...each, pricing_option_id: seasonalId(options, option) }
  })
  return { ...proposal, allocations }
}

/** A proposal for the days of a request, at the prices of flights that start then; undefined where it is for them already, or the request names none. */
function onDays(current: DatedProposal, context: ProposalContext): DatedProposal | undefined {
  const { days, offered } = context
  const own = flightOfProposal(current)
  if (!days || (own?.first === days.first && own.last === days.last)) return undefined
  const then = startingOn(offered, days.first)
  const shares = sharesOf(current.allocations).map(({ optionId, ...share }) => ({
    ...share,
    optionId: seasonalId(then.get(share.productId)?.offer.pricing_options ?? [], optionId),
  }))
  const { recommended = 0 } = current.total_budget_guidance ?? {}
  const flight = { start_date: days.first, end_date: days.last }
  return redrafted({ ...current, ext: { ...current.ext, flight } }, shares, recommended, context)
}

/** The proposal of an id; a plan of the publisher begins again as a draft when what was firm of it has expired. */
function currentProposal(id: string, context: ProposalContext): DatedProposal | undefined {
  const open = openProposal(id, context)
  if (open === undefined || !isExpired(open, context.now)) return open
  const plan = readFlightId(id)?.planId ?? id
  const planIds = [plan, readBudgetId(plan)?.planId]
  const isPlan = context.plans.some(({ proposal_id }) => planIds.includes(proposal_id))
  return isPlan ? openProposal(id, { ...context, stored: undefined }) : open
}

function holdTerms(proposal: Proposal, { offered, publisher, advertiser }: ProposalContext) {
  const requiresSignature = proposal.allocations.some(({ product_id }) => offered.get(product_id)?.selling.approval === 'manual')
  return { publisher, advertiser, requiresSignature }
}

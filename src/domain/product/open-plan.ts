import type { Flight } from '../calendar/flight.ts'
import { flightOfDays } from './asked-days.ts'
import { readBudgetId } from './budget-id.ts'
import { readDraftId } from './draft-id.ts'
import { proposalFor, readFlightId } from './flight-id.ts'
import { readLimitId, targetedById } from './limited-plan.ts'
import { missingCapById, readMissedCapId } from './missed-cap.ts'
import type { OfferedProducts } from './product-list.ts'
import type { PlanDocument } from './products-file.ts'
import type { DatedProposal, Proposal } from './proposal.ts'
import { curatedProposal, draftProposal, INDICATIVE, type ProposalFrame } from './proposals.ts'
import { startingOn } from './starting-on.ts'

/** Where proposals are found by their ids. */
export interface OpenPlans {
  /** Products that the caller may buy, by id. */
  readonly offered: OfferedProducts
  readonly plans: readonly PlanDocument[]
  /** The proposal as it was last stored for the caller, if it was. */
  readonly stored: Proposal | undefined
  readonly now: Date
  /** The flight that a plan is made for, which its id says. */
  readonly flight?: Flight | undefined
}

/** The proposal of an id: the one stored for the caller, a plan of the publisher, or a draft that its id spells out. */
export function openProposal(
  id: string,
  { stored, plans, offered, now, flight: forFlight }: OpenPlans,
): DatedProposal | undefined {
  if (stored?.expires_at !== undefined) return { ...stored, expires_at: stored.expires_at }
  const open = (planId: string, frame: Pick<ProposalFrame, 'budget'>): DatedProposal | undefined => {
    const plan = plans.find((candidate) => candidate.proposal_id === planId)
    if (plan) return curatedProposal(plan, offered, { ...frame, flight: forFlight }, now)
    const draft = readDraftId(planId, offered.values())
    return draft && draftProposal(draft.shares, offered, { ...generatedFrame(planId), ...frame, flight: forFlight }, draft.madeAt)
  }
  const uncapped = readMissedCapId(id)
  if (uncapped !== undefined) {
    const plan = openProposal(uncapped, { stored: undefined, plans, offered, now })
    return plan && missingCapById(plan)
  }
  const limit = readLimitId(id)
  if (limit) {
    const plan = openProposal(limit.planId, { stored: undefined, plans, offered, now })
    return plan && targetedById(plan, limit.targeting)
  }
  const flight = readFlightId(id)
  if (flight) {
    const plan = openProposal(flight.planId, {
      stored: undefined,
      plans,
      offered: startingOn(offered, flight.days.first),
      now,
      flight: flightOfDays(flight.days),
    })
    return plan && proposalFor(plan, flight.days)
  }
  const own = open(id, {})
  const carried = own ? undefined : readBudgetId(id)
  const { currency } = (carried && open(carried.planId, {}))?.total_budget_guidance ?? {}
  if (!carried || currency === undefined) return own
  const asked = open(carried.planId, { budget: { currency, target: carried.amount } })
  return asked && { ...asked, proposal_id: id }
}

/** Ids of the publisher's plans that the caller may buy all of. */
export function openPlanIds({ plans, ...open }: Pick<OpenPlans, 'plans' | 'offered' | 'now'>): string[] {
  return plans.map(({ proposal_id }) => proposal_id).filter((id) => openProposal(id, { ...open, plans, stored: undefined }))
}

/** How a generated draft presents itself; the same whenever its id is named. */
export function generatedFrame(id: string): { id: string; name: string; description: string } {
  return {
    id,
    name: 'Best match plan',
    description: `The products that answer the brief best, weighted by how well they do. ${INDICATIVE}`,
  }
}

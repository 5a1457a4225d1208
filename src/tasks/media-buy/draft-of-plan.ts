import { randomUUID } from 'node:crypto'
import type { CreateMediaBuyRequest } from '@adcp/sdk/types'
import { withoutFlight } from '../../domain/product/flight-id.ts'
import { joined, targetingOf } from '../../domain/product/limited-plan.ts'
import type { Question } from '../../domain/product/product-question.ts'
import type { Proposal } from '../../domain/product/proposal.ts'
import type { Snapshot } from '../../domain/proposal/negotiated.ts'
import { daysOfTerms } from '../../domain/proposal/negotiated.ts'
import { longestLead, planTerms } from '../../domain/proposal/plan-terms.ts'
import { proposedFlight } from '../../domain/proposal/proposed-flight.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { shortBudget, shortWords } from './plan-within-left.ts'
import type { Planning } from './proposal-planning.ts'

/** What the drafts of an answer have in common. */
export interface Frame {
  readonly brand: CreateMediaBuyRequest['brand']
  readonly industry: CreateMediaBuyRequest['advertiser_industry'] | undefined
  readonly question: Question
  readonly opportunityId: string | undefined
  readonly simulated: boolean
}

/** A plan as a draft, and the sentence on a budget that was lowered; or why there is none. */
export type Draft = string | { readonly snapshot: Snapshot; readonly note?: string }

/** A plan as a draft for no more than what is left of its products: the budget is lowered to that, and the sentence says so. */
export async function draftWithinLeft(
  candidate: Proposal,
  frame: Frame,
  planning: Planning,
  context: InTransaction<AuthenticatedContext>,
): Promise<Draft> {
  const snapshot = draftOf(candidate, frame, planning, context.now)
  if (typeof snapshot === 'string') return snapshot
  const { products } = planning.terms
  const short = await shortBudget(snapshot, products, context)
  if (!short) return { snapshot }
  const words = shortWords(short, daysOfTerms(snapshot))
  const { total_budget_guidance: guidance } = candidate
  if (short.bought <= 0 || !guidance) return words
  const lower = draftOf(
    { ...candidate, total_budget_guidance: { ...guidance, recommended: short.bought } },
    frame,
    planning,
    context.now,
  )
  if (typeof lower === 'string') return `${words}; ${lower}`
  return { snapshot: lower, note: `${capitalized(words)}; the plan is made for that.` }
}

function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

/** A plan as a draft with terms, under an id of its own; or why it cannot be had. */
export function draftOf(
  candidate: Proposal,
  { brand, industry, question: asked, opportunityId, simulated }: Frame,
  { terms: context }: Pick<Planning, 'terms'>,
  now: Date,
  parentId?: string,
): Snapshot | string {
  const { total_budget_guidance: guidance, expires_at: expiresAt = now.toISOString() } = candidate
  const lead = longestLead(
    candidate.allocations.map(({ product_id: id }) => id),
    context.products,
  )
  // What the plan carries is in the terms that its digest is over.
  const carried = targetingOf(candidate)
  const question =
    Object.keys(carried).length === 0 ? asked : { ...asked, brief_targeting: joined(asked.brief_targeting ?? {}, carried) }
  const flight = proposedFlight(question, now, lead)
  if (!flight) return 'the days of criteria.offer_filters are over'
  const total = { amount: guidance?.recommended ?? 0, currency: guidance?.currency ?? '' }
  try {
    const negotiated = planTerms(
      candidate,
      {
        ...(parentId !== undefined && { parentId }),
        brand,
        ...(industry !== undefined && { industry }),
        flight,
        total,
        question,
        ...(opportunityId !== undefined && { opportunityId }),
        simulated,
      },
      context,
    )
    const end = expiresAt < negotiated.latest ? expiresAt : negotiated.latest
    const id = `proposal_${randomUUID()}`
    const proposal = { ...withoutFlight(candidate), proposal_id: id, proposal_status: 'draft' as const, expires_at: end }
    return { proposal, negotiated }
  } catch (error) {
    if (error instanceof AdcpError) return error.message
    throw error
  }
}

import type { NamedDays } from '../../domain/product/brief-dates.ts'
import { flightOfProposal } from '../../domain/product/flight-id.ts'
import {
  type ProposalContext,
  type ProposalEntry,
  type RefinedProposal,
  refineProposal,
} from '../../domain/product/refine-proposals.ts'
import type { Snapshot } from '../../domain/proposal/negotiated.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { poolOfTerms } from './held-proposals.ts'
import { type FittingBudgets, fittingBudgets } from './hold-limits.ts'
import { termsFor } from './hold-plan.ts'
import { isSimulated } from './orders.ts'
import { planningIn } from './proposal-planning.ts'
import type { Capacities } from './reservations.ts'

type Context = InTransaction<AuthenticatedContext>

/** What of a draft's budget can be bought, where too little is left of its products for all of it; undefined where all of it can. Reads the book, not the ad server. */
export async function shortBudget(
  draft: Pick<Snapshot, 'proposal' | 'negotiated'>,
  products: Capacities,
  context: Context,
): Promise<FittingBudgets | undefined> {
  const budgets = await fittingBudgets(context, draft, poolOfTerms(context, draft.negotiated), products)
  return budgets && budgets.bought < budgets.asked ? budgets : undefined
}

/** The sentence on a plan that could not be made for all of its budget. Days are YYYY-MM-DD. */
export function shortWords({ asked, bought, currency, shortOn }: FittingBudgets, { first, last }: NamedDays): string {
  const most = bought > 0 ? `at most ${bought} ${currency} of it can be bought` : 'nothing of it can be bought'
  const why = shortOn === undefined ? '' : `, since it is spread evenly over its days and too little is left on ${shortOn}`
  return `too little is left for ${asked} ${currency} from ${first} to ${last}: ${most}${why}`
}

/**
 * A plan that an ask made, for no more than what is left of its products in its days, where these are known: the ask is then carried out for that, and the outcome says so. `asked`: the
 * days of the request.
 */
export async function refinedWithinLeft(
  refined: RefinedProposal,
  entry: ProposalEntry,
  known: ProposalContext,
  asked: NamedDays | undefined,
  context: Context,
): Promise<RefinedProposal> {
  const plan = refined.proposal
  const days = plan && (asked ?? flightOfProposal(plan))
  if (!plan || !refined.changed || plan.proposal_status !== 'draft' || !days) return refined
  const { first, last } = days
  if (first === undefined || last === undefined) return refined
  const { terms } = await planningIn(context)
  const { now } = context
  const question = { filters: { start_date: first, end_date: last } }
  const made = termsFor(plan, question, { brand: { domain: '' }, context: terms, now, simulated: isSimulated(context) })
  const short = 'fault' in made ? undefined : await shortBudget({ proposal: plan, ...made }, terms.products, context)
  if (!short) return refined
  const why = shortWords(short, { first, last })
  const lowered = short.bought > 0 ? refineProposal(entry, { ...known, left: { most: short.bought, why } }) : undefined
  const { recommended = Number.POSITIVE_INFINITY } = lowered?.proposal?.total_budget_guidance ?? {}
  if (lowered?.changed && recommended <= short.bought) return lowered
  const outcome = { ...refined.outcome, status: 'unable', notes: `not possible: ${why}` } as const
  return { proposal: undefined, changed: false, outcome }
}

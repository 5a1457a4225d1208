import { AdcpError } from '../../protocol/errors.ts'
import type { Flight } from '../calendar/flight.ts'
import { type AskContext, askedPlan } from '../product/asked-plan.ts'
import type { Share } from '../product/draft-id.ts'
import { type PlanTargeting, targetedTo, targetingOf } from '../product/limited-plan.ts'
import { partsNotCarried, withPartsTold } from '../product/missed-cap.ts'
import type { Question } from '../product/product-question.ts'
import { draftProposal, sharesOf } from '../product/proposals.ts'
import { type Constraints, type ProductChanges, unmetChanges, unmetConstraints } from './constraints.ts'
import { daysOfTerms, type Snapshot } from './negotiated.ts'
import { longestLead, planTerms, type TermsContext } from './plan-terms.ts'
import { boundedFlight } from './proposed-flight.ts'
import { appliedOf, type Revision, refusalCode, type Verdict, verdictOf } from './revision-verdict.ts'
import { variantsOf, withinCpm, withProductChanges } from './share-changes.ts'

export interface ReviseContext extends TermsContext, Pick<AskContext, 'offered' | 'search' | 'names' | 'allowed' | 'left'> {
  /** Ids for the drafts, as many as may be made. */
  readonly ids: readonly string[]
}

export interface Revised {
  readonly drafts: readonly Snapshot[]
  /** What the revision came to, of all its drafts or of some of them. */
  readonly verdictOn: (drafts: readonly Snapshot[]) => Verdict
  /** What of it these drafts have, in words. */
  readonly appliedOn: (drafts: readonly Snapshot[]) => readonly string[]
}

interface Plan {
  readonly shares: readonly Share[]
  readonly total: number
  /** What the packages have after an ask; absent: what they had. */
  readonly targeting?: PlanTargeting
  /** What asks wanted for a part of it, in their words. */
  readonly notCarried: readonly string[]
}

/**
 * Makes drafts of an immutable proposal: product changes first, then the words of the ask, then the hard constraints; alternatives are other splits of what
 * comes out. What a draft does not meet is named.
 */
export function revise(entry: Revision, source: Snapshot, context: ReviseContext): Revised {
  const { constraints = {}, product_changes: changes = {}, alternatives } = entry
  const currency = source.negotiated.terms.total_budget?.currency ?? ''
  const of = { ...context, currency }
  const included = withProductChanges(sharesOf(source.proposal.allocations), changes, of)
  const notCarried = partsNotCarried(source.proposal)
  const start: Plan = { shares: included, total: source.negotiated.terms.total_budget?.amount ?? 0, notCarried }
  const asked = withAsk(start, entry, source, context)
  if (entry.ask !== undefined && !asked.isChanged && asked.refused.length > 0 && !isTyped(entry)) {
    const reason = `not possible: ${asked.refused.join('; ')}`
    const verdict = { outcome: 'unable', reason_code: refusalCode(asked.isUnread), reason } as const
    return { drafts: [], verdictOn: () => verdict, appliedOn: () => [] }
  }
  const shares = constraints.cpm ? withinCpm(asked.plan.shares, constraints.cpm, changes, of) : asked.plan.shares
  const wanted = within(asked.plan.total, constraints.total_budget, currency)
  const total = Math.min(wanted, context.left?.most ?? wanted)
  const first = { shares, scale: 1 }
  const count = alternatives?.count ?? 1
  const drafts: Snapshot[] = []
  let fault: string | undefined
  for (const variant of [first, ...(count > 1 ? variantsOf(shares) : [])]) {
    if (drafts.length === count) break
    const id = context.ids[drafts.length] ?? ''
    const plan = { ...asked.plan, shares: variant.shares, total: cents(total * variant.scale) }
    const made = draftOf(plan, id, source, constraints, context)
    if (typeof made === 'string') fault ??= made
    else if (isWorthShowing(made, drafts, constraints, changes)) drafts.push(made)
  }
  const facts = { count, fault, applied: asked.applied, refused: asked.refused, isUnread: asked.isUnread }
  return {
    drafts,
    verdictOn: (shown) => verdictOf(entry, shown, facts),
    appliedOn: (shown) => appliedOf(entry, shown, asked.applied),
  }
}

/** The plan after the words of the ask. */
function withAsk(plan: Plan, { ask }: Revision, { proposal, negotiated }: Snapshot, context: ReviseContext) {
  const untouched = { plan, isChanged: false, applied: [], refused: [], isUnread: false }
  if (ask === undefined) return untouched
  const { offered, allowed, now } = context
  const currency = negotiated.terms.total_budget?.currency ?? ''
  const { start_time: startsAt, end_time: endsAt } = negotiated.terms
  const frame = {
    id: proposal.proposal_id,
    name: proposal.name,
    budget: { target: plan.total, currency },
    buyer: allowed.buyer,
    flight: { startsAt, endsAt },
  }
  const { brief_targeting: hard = {}, targeting_overlay: own } = negotiated.question
  const draft = draftProposal(plan.shares, offered, frame, now)
  const { first, last } = daysOfTerms({ negotiated })
  const dated = draft && { ...draft, ext: { ...draft.ext, flight: { start_date: first, end_date: last } } }
  const current = dated && targetedTo(dated, { ...hard, ...(own?.frequency_cap && { frequency_cap: own.frequency_cap }) })
  if (!current) return { ...untouched, refused: ['a product of the proposal is no longer offered'] }
  const { planned, applied, refused, isUnread } = askedPlan(current, ask, context, 'refine_proposals')
  const next = planned && {
    shares: sharesOf(planned.allocations),
    total: planned.total_budget_guidance?.recommended ?? plan.total,
    targeting: targetingOf(planned),
    notCarried: [...plan.notCarried, ...partsNotCarried(planned)],
  }
  return { plan: next ?? plan, isChanged: next !== undefined, applied, refused, isUnread }
}

/** A draft with its terms, or why there is none. */
function draftOf(
  { shares, total, targeting, notCarried }: Plan,
  id: string,
  { proposal, negotiated }: Snapshot,
  { flight: bounds = {} }: Constraints,
  context: ReviseContext,
): Snapshot | string {
  const { terms, order, question: asked, opportunityId, simulated } = negotiated
  const question = targeting === undefined ? asked : questionOf(asked, targeting)
  const currency = terms.total_budget?.currency ?? ''
  const planned: Flight = { startsAt: terms.start_time, endsAt: terms.end_time }
  const lead = longestLead(
    shares.map(({ productId }) => productId),
    context.products,
  )
  const flight = boundedFlight(planned, bounds, context.now, lead)
  const frame = {
    id,
    name: proposal.name,
    ...(proposal.description !== undefined && { description: proposal.description }),
    ...(proposal.brief_alignment !== undefined && { briefAlignment: proposal.brief_alignment }),
    budget: { target: total, currency },
    buyer: context.allowed.buyer,
    flight,
  }
  const draft = draftProposal(shares, context.offered, frame, context.now)
  if (!draft) return 'a product of the proposal is no longer offered at its price'
  const amount = draft.total_budget_guidance?.recommended ?? total
  try {
    const made = planTerms(
      draft,
      {
        parentId: proposal.proposal_id,
        brand: order.brand,
        ...(order.advertiser_industry !== undefined && { industry: order.advertiser_industry }),
        flight,
        total: { amount, currency },
        question,
        ...(opportunityId !== undefined && { opportunityId }),
        simulated,
      },
      context,
    )
    const told = withPartsTold(draft, notCarried)
    return { proposal: { ...told, expires_at: earlier(draft.expires_at, made.latest) }, negotiated: made }
  } catch (error) {
    if (error instanceof AdcpError) return error.message
    throw error
  }
}

/** A question whose places, languages and cap are these. */
function questionOf(
  { brief_targeting: hard = {}, targeting_overlay: own, ...question }: Question,
  targeting: PlanTargeting,
): Question {
  const { geo_countries: _in, geo_countries_exclude: _out, language: _language, frequency_cap: _cap, ...others } = hard
  const { frequency_cap: cap, ...overlay } = own ?? {}
  const kept = cap && targeting.frequency_cap ? { ...overlay, frequency_cap: targeting.frequency_cap } : overlay
  return { ...question, brief_targeting: { ...others, ...targeting }, ...(own && { targeting_overlay: kept }) }
}

/** Another plan is shown where its terms are its own, and it meets all that the first one does. */
function isWorthShowing(
  { negotiated }: Snapshot,
  drafts: readonly Snapshot[],
  constraints: Constraints,
  changes: ProductChanges,
) {
  const [first] = drafts
  if (!first) return true
  if (drafts.some((draft) => draft.negotiated.digest === negotiated.digest)) return false
  const unmet = ({ terms }: Snapshot['negotiated']) => [
    ...unmetConstraints(constraints, terms),
    ...Object.keys(unmetChanges(changes, terms)),
  ]
  const known = new Set(unmet(first.negotiated))
  return unmet(negotiated).every((key) => known.has(key))
}

function isTyped({ constraints, product_changes: changes, alternatives }: Revision): boolean {
  return constraints !== undefined || changes !== undefined || alternatives !== undefined
}

function within(total: number, bounds: Constraints['total_budget'], currency: string): number {
  if (!bounds || bounds.currency !== currency) return total
  return Math.min(bounds.max ?? Number.POSITIVE_INFINITY, Math.max(bounds.min ?? 0, total))
}

function earlier(one: string, other: string): string {
  return one < other ? one : other
}

function cents(amount: number): number {
  return Math.floor(amount * 100) / 100
}

import { atOnce, type Steps } from '../../platform/concurrency/steps.ts'
import { type GovernedAction, valueAt } from './action.ts'
import { checkAudience } from './checks/audience.ts'
import { checkBounds } from './checks/bounds.ts'
import { checkBudget } from './checks/budget.ts'
import { checkDelegation } from './checks/delegation.ts'
import { checkDelivery } from './checks/drift.ts'
import { allowedDrift, checkPolicies, readPolicies } from './checks/policies.ts'
import type { Decision, PlanState } from './decision.ts'
import type { Review } from './escalation.ts'
import { checkCadence } from './next-check.ts'
import { toMicros, totalCommitted } from './plan.ts'
import { resolveRegimes } from './regimes.ts'
import { CATEGORIES, type Category, type Condition, deny, money, note, type Remark } from './remark.ts'
import { listed, MOST_REMARKS, said } from './said.ts'

export interface DecisionInput extends PlanState {
  readonly action: GovernedAction
  /** The decision of a person on this action; undefined when none was asked for or made yet. */
  readonly review?: Review | undefined
  /** The caller comes back with the token of an answer `conditions`: it accepts those that are words only. */
  readonly accepted: boolean
  /** Answers `conditions` that this action had before under this revision of the plan. */
  readonly counterproposals: number
}

/** AdCP check_governance, "Conditions": no negotiation without end. */
const MAX_COUNTERPROPOSALS = 3

/**
 * Decides on an action under a plan. Limits of the plan deny; what the agent may not decide alone is denied until a person has said yes; what
 * the caller can mend comes back as conditions. A person lifts escalations and may add conditions, never the plan's limits.
 */
export function decide(input: DecisionInput, now: Date): Decision {
  return atOnce(decideSteps(input, now))
}

/** The same in steps, for plans with many policies. */
export function* decideSteps(input: DecisionInput, now: Date): Steps<Decision> {
  const { action } = input
  if (action.checkType === 'availability') return availability(input)
  const policies = yield* readPolicies(input)
  const ofPolicies = yield* checkPolicies(policies, input, action, now)
  const found = [
    ...checkBudget(input, action),
    ...checkBounds(input, action),
    ...checkDelegation(input, action, now),
    ...checkAudience(input, action),
    ...ofPolicies,
    ...checkDelivery(input, action, allowedDrift(policies)),
    ...checkCadence(action, input.expectedBy, now),
  ]
  const reviewed = found.map((remark) => lifted(remark, input.review))
  const textAt = textsOf(action.payload)
  const binding = conditionsOf(reviewed, input, textAt)
  const remarks = [...reviewed.filter((remark) => !isMet(remark, textAt)), ...refusal(input), ...endless(binding, input)]
  const denied = remarks.some(({ effect }) => effect === 'deny')
  const waiting = remarks.filter(({ effect }) => effect === 'escalate')
  const status = denied || waiting.length > 0 ? 'denied' : binding.length > 0 ? 'conditions' : 'approved'
  return {
    status,
    explanation: explain(status, remarks, binding, input),
    remarks: said(remarks),
    conditions: status === 'conditions' ? binding.slice(0, MOST_REMARKS) : [],
    categories: categoriesOf(input),
    policies: [
      ...resolveRegimes(input.plan.document).map(({ regime }) => regime.policyId),
      ...policies.map(({ policy }) => policy.policy_id),
    ],
    escalation: denied || waiting.length === 0 ? undefined : listed(waiting.map(({ explanation }) => explanation)),
  }
}

/** An approval by a person turns the findings that needed it into notes. */
function lifted(remark: Remark, review: Review | undefined): Remark {
  if (remark.effect !== 'escalate' || review?.resolution !== 'approved') return remark
  return { ...remark, effect: 'none', severity: 'info', explanation: `${remark.explanation}; approved by ${review.decidedBy}` }
}

function refusal({ review }: DecisionInput): readonly Remark[] {
  if (review?.resolution !== 'rejected') return []
  return [deny('human_oversight', `${review.decidedBy} rejected it${review.reason === '' ? '' : `: ${review.reason}`}`)]
}

/** What still has to be corrected or accepted. A seller that executes cannot negotiate: it gets a denial. */
function conditionsOf(
  remarks: readonly Remark[],
  { action, review, accepted, approved }: DecisionInput,
  textAt: (field: string) => string | undefined,
): readonly Condition[] {
  // They were met when the intent was approved; an execution shows none of the buyer's own arguments.
  const settled = action.checkType === 'execution' && approved !== undefined
  const own = review?.resolution === 'approved' && !settled ? review.conditions : []
  const all = [...remarks.flatMap((remark) => (remark.effect === 'adjust' ? (remark.conditions ?? []) : [])), ...own]
  return all.filter((condition) => {
    if (condition.requiredValue === undefined) return !(accepted && own.includes(condition))
    return textAt(condition.field) !== JSON.stringify(condition.requiredValue)
  })
}

function isMet({ effect, conditions = [] }: Remark, textAt: (field: string) => string | undefined): boolean {
  return (
    effect === 'adjust' &&
    conditions.every(({ field, requiredValue }) => requiredValue !== undefined && textAt(field) === JSON.stringify(requiredValue))
  )
}

/** The value at a path of the payload as JSON, to compare with; each is written once, however many conditions name it. */
function textsOf(payload: unknown): (field: string) => string | undefined {
  const texts = new Map<string, string | undefined>()
  return (field) => {
    if (!texts.has(field)) texts.set(field, JSON.stringify(valueAt(payload, field)))
    return texts.get(field)
  }
}

function endless(binding: readonly Condition[], { counterproposals, action }: DecisionInput): readonly Remark[] {
  if (binding.length === 0) return []
  if (action.checkType === 'execution' && action.phase !== 'delivery')
    return [deny('human_oversight', 'the action does not meet the conditions of the plan, and an execution is not negotiated')]
  if (counterproposals < MAX_COUNTERPROPOSALS) return []
  return [deny('human_oversight', `the conditions were not met in ${MAX_COUNTERPROPOSALS} attempts`)]
}

function explain(
  status: Decision['status'],
  remarks: readonly Remark[],
  binding: readonly Condition[],
  { action, plan }: DecisionInput,
): string {
  const what = action.tool ?? action.phase
  if (status === 'approved') return `${what} is within plan ${plan.planId}`
  if (status === 'conditions') return `${what} is approved once: ${listed(binding.map(({ reason }) => reason))}`
  const reasons = remarks.filter(({ effect }) => effect === 'deny' || effect === 'escalate').map(({ explanation }) => explanation)
  return `${what} is denied: ${listed(reasons)}`
}

/** The categories in which a plan has something to check. */
export function categoriesOf({ plan: { document }, portfolios }: Pick<PlanState, 'plan' | 'portfolios'>): readonly Category[] {
  const has: Readonly<Partial<Record<Category, boolean>>> = {
    delegation: (document.delegations?.length ?? 0) > 0,
    markets: document.countries !== undefined || document.regions !== undefined,
    channels: document.channels !== undefined,
    sellers: Array.isArray(document.approved_sellers),
    audience: document.audience !== undefined || (document.restricted_attributes?.length ?? 0) > 0,
    regulatory_compliance: resolveRegimes(document).length > 0 || (document.policy_ids?.length ?? 0) > 0,
    brand_policy: (document.custom_policies?.length ?? 0) > 0 || portfolios.length > 0,
  }
  return CATEGORIES.filter((category) => has[category] ?? true)
}

function availability({ plan, commitments, portfolios }: DecisionInput): Decision {
  const { total, currency } = plan.document.budget
  const left = toMicros(total) - totalCommitted(commitments)
  const explanation = `${money(Math.max(0, left), currency)} of ${total} ${currency} is left`
  const details = { remaining: Math.max(0, left) / 1e6, currency }
  return {
    status: left > 0 ? 'approved' : 'denied',
    explanation,
    remarks: [
      left > 0 ? note('budget_authority', 'info', explanation, { details }) : deny('budget_authority', explanation, { details }),
    ],
    conditions: [],
    categories: categoriesOf({ plan, portfolios }),
    policies: [],
    escalation: undefined,
  }
}

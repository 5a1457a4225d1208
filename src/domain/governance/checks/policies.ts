import type { Steps } from '../../../platform/concurrency/steps.ts'
import type { TimeUnit } from '../../calendar/time-units.ts'
import type { Policy } from '../../policy.ts'
import type { GovernedAction } from '../action.ts'
import type { PlanState } from '../decision.ts'
import { toMicros, totalCommitted } from '../plan.ts'
import { type PolicyRule, readPolicy, type Subject } from '../policy-rules.ts'
import { adjust, deny, escalate, money, note, type Remark } from '../remark.ts'

/** The bespoke policies of a plan and of the portfolios above it, with the plan that each comes from. */
export function policiesOf({ plan, portfolios }: PlanState): readonly { readonly policy: Policy; readonly source?: string }[] {
  return [
    ...(plan.document.custom_policies ?? []).map((policy) => ({ policy })),
    ...portfolios.flatMap(({ planId, document }) =>
      (document.portfolio?.shared_exclusions ?? []).map((policy) => ({ policy, source: planId })),
    ),
  ]
}

/** A policy with what is understood of it. */
export interface ReadPolicy {
  readonly policy: Policy
  readonly source?: string
  readonly rules: readonly PolicyRule[]
}

/** Reads the bespoke policies, one a step. */
export function* readPolicies(state: PlanState): Steps<readonly ReadPolicy[]> {
  const read: ReadPolicy[] = []
  for (const each of policiesOf(state)) {
    read.push({ ...each, rules: readPolicy(each.policy.policy) })
    yield
  }
  return read
}

/**
 * What the bespoke policies say about an action. `must` blocks or sets conditions, `should` warns, `may` is noted (AdCP
 * enums/policy-enforcement.json); before its effective date a policy informs only, after its sunset it is silent. A policy says a thing once,
 * however many of its sentences say it.
 */
export function* checkPolicies(
  policies: readonly ReadPolicy[],
  state: PlanState,
  action: GovernedAction,
  now: Date,
): Steps<readonly Remark[]> {
  const today = now.toISOString().slice(0, 10)
  const said: Remark[] = []
  for (const { policy, source, rules } of policies) {
    if (policy.sunset_date !== undefined && policy.sunset_date < today) continue
    const own = new Map<string, Remark>()
    for (const rule of rules) {
      for (const remark of apply(rule, state, action)) if (!own.has(remark.explanation)) own.set(remark.explanation, remark)
      yield
    }
    const remarks = rules.length === 0 ? [unread(policy)] : [...own.values()]
    const enforcement = policy.effective_date !== undefined && policy.effective_date > today ? 'may' : policy.enforcement
    for (const remark of remarks)
      said.push({
        ...enforced(remark, enforcement),
        policyId: policy.policy_id,
        ...(source !== undefined && { sourcePlanId: source }),
      })
  }
  return said
}

/** The drift that the policies allow, in percent; undefined when none speaks of it. */
export function allowedDrift(policies: readonly ReadPolicy[]): AllowedDrift | undefined {
  const stated = policies.flatMap(({ policy, rules }) =>
    rules.flatMap((rule) => (rule.kind === 'drift' ? [{ percent: rule.percent, policyId: policy.policy_id }] : [])),
  )
  return stated.toSorted((a, b) => a.percent - b.percent)[0]
}

export interface AllowedDrift {
  readonly percent: number
  readonly policyId: string
}

function enforced(remark: Remark, enforcement: Policy['enforcement']): Remark {
  if (enforcement === 'must') return remark
  const { conditions: _none, ...rest } = remark
  return { ...rest, effect: 'none', severity: enforcement === 'should' ? 'warning' : 'info' }
}

function unread({ policy_id }: Policy): Remark {
  return note('brand_policy', 'warning', `the built-in rules do not understand ${policy_id}; a person has to judge it`, {
    confidence: 0.1,
    uncertaintyReason: 'the policy was not understood',
  })
}

function apply(rule: PolicyRule, { plan, commitments }: PlanState, action: GovernedAction): readonly Remark[] {
  const { budget } = plan.document
  if (action.phase === 'delivery' || action.checkType === 'availability') return []
  switch (rule.kind) {
    case 'reporting':
      return concerns(rule.subject, action) ? reporting(rule.every, action) : []
    case 'review':
      return concerns(rule.subject, action) ? [escalate('brand_policy', 'a policy asks for a review by a person')] : []
    case 'forbidden':
      return concerns(rule.subject, action) ? [deny('brand_policy', `a policy forbids ${rule.subject.channels.join(', ')}`)] : []
    case 'amount': {
      const max = toMicros(rule.max)
      if (!concerns({ ...rule.subject, above: rule.max }, action)) return []
      return [
        adjust('brand_policy', `a policy allows ${money(max, budget.currency)} at most`, [atMost(max, action, budget.currency)]),
      ]
    }
    case 'seller-share': {
      const own = commitments.filter((each) => each.seller === action.seller && each.actionId !== plan.currentActionId)
      const left = Math.max(0, (toMicros(budget.total) * rule.maxPercent) / 100 - totalCommitted(own))
      if ((action.amountMicros ?? 0) <= left) return []
      return [
        adjust('brand_policy', `more than ${rule.maxPercent}% of the budget would go to one seller`, [
          atMost(left, action, budget.currency),
        ]),
      ]
    }
    case 'drift':
      return []
  }
}

function atMost(micros: number, { payload }: GovernedAction, currency: string) {
  const hasTotal = typeof payload === 'object' && payload !== null && 'total_budget' in payload
  const reason = `at most ${money(micros, currency)} in all`
  return hasTotal ? { field: 'total_budget', requiredValue: micros / 1e6, reason } : { field: 'packages', reason }
}

/** A seller that asks before it executes does not say how it reports; the intent did. */
function reporting(every: TimeUnit, action: GovernedAction): readonly Remark[] {
  const interval = { hour: 'hourly', day: 'daily', week: 'weekly', month: 'monthly' }[every]
  if (action.checkType !== 'intent') return [note('brand_policy', 'info', `${interval} reporting is required`)]
  const enough = { hour: ['hourly'], day: ['hourly', 'daily'], week: ['hourly', 'daily'], month: ['hourly', 'daily', 'monthly'] }[
    every
  ]
  if (enough.includes(action.reporting ?? '')) return []
  // core/reporting-webhook.json knows no weekly interval: a daily one includes it.
  const requiredValue = enough.at(-1)
  const reason = `${interval} delivery reporting is required`
  return [adjust('brand_policy', reason, [{ field: 'reporting_webhook.reporting_frequency', requiredValue, reason }])]
}

function concerns({ channels, keywords, above }: Subject, action: GovernedAction): boolean {
  if (above !== undefined && (action.amountMicros ?? 0) <= toMicros(above)) return false
  if (channels.length > 0 && !action.channels.some(({ channel }) => channel !== undefined && channels.includes(channel))) {
    return channels.some((channel) => new RegExp(`(?:^|[^a-z])${channel}(?:[^a-z]|$)`).test(action.words))
  }
  return keywords.length === 0 || keywords.some((word) => action.words.includes(word))
}

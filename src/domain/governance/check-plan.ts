import { AdcpError } from '../../protocol/errors.ts'
import type { PlanDocument } from './plan-document.ts'

/** Longest id of a plan, characters: it becomes the subject of tokens. */
const MAX_ID = 255
/** Policies of a plan, and as many of a portfolio (`shared_exclusions`); and what their JSON has together: each check reads all of them. */
const MAX_POLICIES = 100
const MAX_POLICY_CHARACTERS = 100_000
/** A plan as JSON: each check reads it, and those of the portfolios above it. */
const MAX_PLAN_CHARACTERS = 200_000

/**
 * What no schema can say about a plan. Throws VALIDATION_ERROR naming the field below `path`. `again`: the same plan came earlier in the
 * request.
 */
export function checkPlan(plan: PlanDocument, path: string, again: boolean): void {
  const refuse = (field: string, message: string): never => {
    throw new AdcpError('VALIDATION_ERROR', `${path}.${field} ${message}`, { field: `${path}.${field}` })
  }
  const { plan_id: id, budget, flight, portfolio, delegations = [], custom_policies: policies = [] } = plan
  if (id.trim() === '' || id.length > MAX_ID) refuse('plan_id', `must have 1 to ${MAX_ID} characters`)
  if (again) refuse('plan_id', 'names a plan twice')
  if (!(budget.total >= 0 && budget.total <= Number.MAX_SAFE_INTEGER / 1e6))
    refuse('budget.total', 'is no amount that can be spent')
  if (!/^[A-Z]{3}$/.test(budget.currency)) refuse('budget.currency', 'must be an ISO 4217 code')
  if (!(Date.parse(flight.start) < Date.parse(flight.end))) refuse('flight.end', 'must be after the start')
  if (portfolio?.member_plan_ids.includes(id)) refuse('portfolio.member_plan_ids', 'names the plan itself')
  delegations.forEach((delegation, index) => {
    if (delegation.budget_limit && delegation.budget_limit.currency !== budget.currency)
      refuse(`delegations[${index}].budget_limit.currency`, `must be ${budget.currency}, the currency of the plan`)
  })
  for (const [field, texts] of [
    ['custom_policies', policies],
    ['portfolio.shared_exclusions', portfolio?.shared_exclusions ?? []],
  ] as const) {
    const way = 'join those that say the same, or divide the plan into several'
    if (texts.length > MAX_POLICIES) refuse(field, `has ${texts.length} policies; at most ${MAX_POLICIES} are checked: ${way}`)
    const { length } = JSON.stringify(texts)
    if (length > MAX_POLICY_CHARACTERS)
      refuse(
        field,
        `has ${length} characters as JSON; at most ${MAX_POLICY_CHARACTERS} are checked: shorten the texts, or ${way}`,
      )
  }
  const ids = policies.map((policy) => policy.policy_id)
  if (new Set(ids).size !== ids.length) refuse('custom_policies', 'names a policy twice')
  const { length } = JSON.stringify(plan)
  if (length > MAX_PLAN_CHARACTERS)
    throw new AdcpError(
      'VALIDATION_ERROR',
      `${path} has ${length} characters as JSON; a plan may have ${MAX_PLAN_CHARACTERS}: divide it into several plans`,
      { field: path },
    )
}

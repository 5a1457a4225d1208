import { AdcpError } from '../../protocol/errors.ts'
import type { PlanDocument } from './plan-document.ts'

/** Longest id of a plan, characters: it becomes the subject of tokens. */
const MAX_ID = 255

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
  const ids = policies.map((policy) => policy.policy_id)
  if (new Set(ids).size !== ids.length) refuse('custom_policies', 'names a policy twice')
}

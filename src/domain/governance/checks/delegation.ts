import type { GovernedAction } from '../action.ts'
import type { PlanState } from '../decision.ts'
import { toMicros, totalCommitted } from '../plan.ts'
import { deny, escalate, money, type Remark } from '../remark.ts'

/**
 * Whether the agent that acts is one of those that the plan delegates to, and within what it was given. A seller that asks before it
 * executes acts for the agent whose intent was approved. Source: AdCP sync-plans-request.json, `delegations`.
 */
export function checkDelegation({ plan, commitments }: PlanState, action: GovernedAction, now: Date): readonly Remark[] {
  const { delegations, budget } = plan.document
  if (!delegations || delegations.length === 0 || action.checkType !== 'intent') return []
  const delegation = delegations.find((each) => each.agent_url === action.caller)
  if (!delegation) return [deny('delegation', `the plan delegates nothing to ${action.caller}`)]
  const { authority, budget_limit: limit, markets, expires_at: expires } = delegation
  const remarks: Remark[] = []
  if (expires !== undefined && Date.parse(expires) <= now.getTime())
    remarks.push(deny('delegation', `the delegation to ${action.caller} ended at ${expires}`))
  const within = new Set(markets)
  const stray = [...action.countries, ...action.regions].filter(
    (place) => markets !== undefined && !within.has(place) && !within.has(place.slice(0, 2)),
  )
  if (stray.length > 0) remarks.push(deny('delegation', `${action.caller} may not act in ${stray.join(', ')}`))
  if (limit && action.amountMicros !== undefined) {
    const own = commitments.filter((each) => each.caller === action.caller && each.actionId !== plan.currentActionId)
    const after = totalCommitted(own) + action.amountMicros
    if (limit.currency !== budget.currency || after > toMicros(limit.amount))
      remarks.push(
        deny(
          'delegation',
          `${money(after, budget.currency)} is above the ${limit.amount} ${limit.currency} delegated to ${action.caller}`,
        ),
      )
  }
  if (authority === 'propose_only')
    remarks.push(escalate('delegation', `${action.caller} may propose only; a person has to approve it`))
  if (authority === 'execute_only' && action.phase !== 'delivery')
    remarks.push(
      escalate('delegation', `${action.caller} may carry out approved actions only; a person has to approve a new one`),
    )
  return remarks
}

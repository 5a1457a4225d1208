import type { CheckGovernanceRequest, CheckGovernanceResponse } from '@adcp/sdk/types'
import { requirePeriod } from '../../domain/governance/require-period.ts'
import { defineTask } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { denialContext } from './governance-context.ts'
import { presentCondition, presentFinding } from './present-finding.ts'
import { type CheckResult, runCheck } from './run-check.ts'

/** How long the answer to a question for the budget holds: as long as an intent. */
const AVAILABILITY_MS = 15 * 60_000

export const checkGovernance = defineTask<CheckGovernanceRequest, CheckGovernanceResponse>()({
  name: 'check_governance',
  access: 'authenticated',
  scope: 'governance',
  // Its payload is the call of another task.
  takesAnyMember: true,
  summary:
    'Ask whether an action is within its plan: before a purchase, a change, or with delivery figures; approvals are signed.',
  writes: () => true,
  async handle(request, context) {
    const { planned_delivery: planned, delivery_metrics: metrics } = request
    requireOneKind(request)
    requirePeriod(planned?.start_time, planned?.end_time, ['planned_delivery.start_time', 'planned_delivery.end_time'])
    requirePeriod(metrics?.reporting_period.start, metrics?.reporting_period.end, [
      'delivery_metrics.reporting_period.start',
      'delivery_metrics.reporting_period.end',
    ])
    return presentCheck(await runCheck(context, request), context.now)
  },
})

/** A check is of an intent or of an execution, and one of delivery has figures (AdCP check_governance, "Error codes" and "Fields"). Throws INVALID_REQUEST. */
function requireOneKind(request: CheckGovernanceRequest): void {
  const { tool, payload, planned_delivery: planned, phase, delivery_metrics: metrics } = request
  if (tool !== undefined && payload !== undefined && planned !== undefined) {
    throw new AdcpError(
      'INVALID_REQUEST',
      'the request has the members of an intent (tool, payload) and of an execution (planned_delivery)',
      {
        field: 'planned_delivery',
        suggestion: 'send tool and payload before a purchase, or planned_delivery for its execution',
      },
    )
  }
  if (phase === 'delivery' && metrics === undefined) {
    throw new AdcpError('INVALID_REQUEST', 'delivery_metrics is required where phase is delivery', { field: 'delivery_metrics' })
  }
}

/** The answer to a check (AdCP governance/check-governance-response.json). */
export function presentCheck(
  { checkId, plan, action, decision, review, waitingFor, token, nextCheck }: CheckResult,
  now: Date,
): CheckGovernanceResponse {
  const isAvailability = action.checkType === 'availability'
  const findings = decision.remarks.map((remark) => presentFinding(remark, waitingFor))
  const expiresAt = token?.expiresAt ?? new Date(now.getTime() + AVAILABILITY_MS).toISOString()
  return {
    check_id: checkId,
    status: decision.status,
    plan_id: plan.planId,
    explanation: decision.explanation,
    ...(findings.length > 0 && { findings }),
    ...(decision.conditions.length > 0 && { conditions: decision.conditions.map(presentCondition) }),
    ...(decision.status !== 'denied' && { expires_at: expiresAt }),
    ...(nextCheck !== undefined && { next_check: nextCheck }),
    categories_evaluated: [...decision.categories],
    policies_evaluated: [...decision.policies],
    mode: 'enforce',
    ...(decision.status === 'denied' && !isAvailability && { governance_context: denialContext(checkId) }),
    ...(token && { governance_context: token.value }),
    ...(review?.resolution === 'approved' && { approved_by: review.decidedBy, approved_at: review.decidedAt }),
  }
}

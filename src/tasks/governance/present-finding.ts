import type { CheckGovernanceResponse } from '@adcp/sdk/types'
import type { Condition, Remark } from '../../domain/governance/remark.ts'

type Finding = NonNullable<CheckGovernanceResponse['findings']>[number]

/** A finding as AdCP check-governance-response.json has it; `waitingFor` is the check that a person has to decide. */
export function presentFinding(remark: Remark, waitingFor?: string): Finding {
  const { category, policyId, sourcePlanId, severity, explanation, details, confidence, uncertaintyReason } = remark
  const escalated = remark.effect === 'escalate' && waitingFor !== undefined
  return {
    category_id: category,
    ...(policyId !== undefined && { policy_id: policyId }),
    ...(sourcePlanId !== undefined && { source_plan_id: sourcePlanId }),
    severity,
    explanation,
    ...((details || escalated) && {
      details: {
        ...details,
        ...(escalated && {
          escalation: {
            check_id: waitingFor,
            state: 'pending_human_review',
            next_step: 'ask again with the same payload once a person has decided',
          },
        }),
      },
    }),
    ...(confidence !== undefined && { confidence }),
    ...(uncertaintyReason !== undefined && { uncertainty_reason: uncertaintyReason }),
  }
}

export function presentCondition({ field, requiredValue, reason }: Condition) {
  return { field, ...(requiredValue !== undefined && { required_value: requiredValue }), reason }
}

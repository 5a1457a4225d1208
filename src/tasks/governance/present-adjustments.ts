import type { GetPlanAuditLogsResponse } from '@adcp/sdk/types'
import { adjustedSummary, headroomOf, type ReviewedAdjustment } from '../../domain/governance/adjustment.ts'
import type { AuditEntry } from '../../domain/governance/audit-chain.ts'
import { type Plan, toMicros } from '../../domain/governance/plan.ts'
import { microsToAmount } from '../../domain/money.ts'

type WirePlan = GetPlanAuditLogsResponse['plans'][number]

/** A plan in the words of any release: later ones have more to say of budget, summary and entries. */
export interface AuditedPlan extends Omit<WirePlan, 'budget' | 'summary' | 'entries'> {
  readonly budget: object
  readonly summary: object
  readonly entries?: readonly { readonly timestamp: string }[]
}

/**
 * The state of a plan with the adjustments of its outcomes (AdCP 3.2 governance/get-plan-audit-logs-response.json): the budget by every way of counting, their number, and an
 * entry for each where entries are shown. `committed`: micros that its actions have committed; `shown`: what is shown of the log.
 */
export function withAdjustments(
  answer: WirePlan,
  plan: Plan,
  {
    committed,
    adjustments,
    shown,
  }: { readonly committed: number; readonly adjustments: readonly ReviewedAdjustment[]; readonly shown: readonly AuditEntry[] },
): AuditedPlan {
  const { currency, total } = plan.document.budget
  const { budget_remaining: _remaining, ...ledger } = adjustedSummary(committed, adjustments, toMicros(total))
  const at = new Map(shown.map(({ entryId, document }) => [entryId, document.at]))
  const entries = adjustments.flatMap((each) => {
    const timestamp = at.get(each.adjustmentId)
    if (timestamp === undefined) return []
    return {
      id: each.adjustmentId,
      type: 'adjustment',
      timestamp,
      ...(answer.entries?.some((entry) => 'plan_id' in entry) && { plan_id: plan.planId }),
      outcome_id: each.outcomeId,
      seller_reference: each.sellerReference,
      seller_adjustment_id: each.sellerAdjustmentId,
      adjustment_type: each.type,
      adjustment_state: each.state,
      amount: { amount: microsToAmount(each.amountMicros), currency },
      headroom_restored: microsToAmount(headroomOf(each)),
      reason: each.reason,
      effective_at: each.effectiveAt,
      evidence: each.evidence,
    }
  })
  const inOrder = (a: { readonly timestamp: string }, b: { readonly timestamp: string }) => a.timestamp.localeCompare(b.timestamp)
  return {
    ...answer,
    budget: { ...answer.budget, ...ledger },
    summary: {
      ...answer.summary,
      adjustments_reported: adjustments.length,
      adjustments_verified: adjustments.filter(({ state }) => state === 'verified').length,
    },
    ...(answer.entries && { entries: [...answer.entries, ...entries].toSorted(inOrder) }),
  }
}

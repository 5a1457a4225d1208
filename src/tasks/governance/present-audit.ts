import type { GetPlanAuditLogsResponse } from '@adcp/sdk/types'
import type { AuditEntry, ChainWalk } from '../../domain/governance/audit-chain.ts'
import type { AuditSummary } from '../../domain/governance/audit-summary.ts'
import type { ActionRecord } from '../../domain/governance/governed-action.ts'
import { type Plan, toMicros } from '../../domain/governance/plan.ts'
import { microsToAmount } from '../../domain/money.ts'
import { presentCondition, presentFinding } from './present-finding.ts'

type WirePlan = GetPlanAuditLogsResponse['plans'][number]
type WireEntry = NonNullable<WirePlan['entries']>[number]

/**
 * One plan's state and log (AdCP governance/get-plan-audit-logs-response.json). `committed` (micros) and `byChannel` are of every action, `counted` of every entry that the filters left; the rest is
 * what is shown of them.
 */
export function presentAudit(
  plan: Plan,
  shown: {
    readonly counted: AuditSummary
    readonly entries: readonly AuditEntry[]
    readonly actions: readonly ActionRecord[]
    readonly committed: number
    readonly byChannel: ReadonlyMap<string | undefined, number>
  },
  now: Date,
  include: { readonly entries: boolean; readonly planIds: boolean },
): WirePlan {
  const total = toMicros(plan.document.budget.total)
  const { committed } = shown
  return {
    plan_id: plan.planId,
    plan_version: plan.version,
    status: now > new Date(plan.document.flight.end) ? 'completed' : 'active',
    budget: {
      authorized: plan.document.budget.total,
      committed: microsToAmount(committed),
      remaining: microsToAmount(total - committed),
      utilization_pct: percent(committed, total),
    },
    channel_allocation: Object.fromEntries(
      [...shown.byChannel].flatMap(([channel, micros]) =>
        channel === undefined || micros === 0
          ? []
          : [[channel, { committed: microsToAmount(micros), pct: percent(micros, total) }]],
      ),
    ),
    summary: presentSummary(shown.counted),
    ...(include.entries && {
      entries: shown.entries
        .filter(({ kind }) => kind === 'check' || kind === 'outcome')
        .map((entry) => presentEntry(entry, include.planIds)),
    }),
    governed_actions: shown.actions
      .filter(({ governanceContext }) => governanceContext !== '')
      .map((action) => ({
        governance_context: action.governanceContext,
        purchase_type: action.purchaseType,
        status: action.status,
        committed: microsToAmount(action.committedMicros),
        check_count: action.checkCount,
        ...(action.sellerReference !== undefined && { seller_reference: action.sellerReference }),
      })),
  }
}

/**
 * What the official entries have no place for: every event in order with who did it, why and under which conditions, and the hashes that chain
 * them. `intact` says whether the whole chain still holds.
 */
export function presentChain({ planId }: Plan, { brokenAt, length, head }: ChainWalk, shown: readonly AuditEntry[]): object {
  return {
    plan_id: planId,
    intact: brokenAt === undefined,
    length,
    ...(head !== undefined && { head }),
    events: shown.map(
      ({ seq, entryId, kind, previousHash, hash, document: { at, actor, reason, resolution, conditions = [], checkId } }) => ({
        seq,
        id: entryId,
        event: kind,
        timestamp: at,
        actor,
        ...(reason !== undefined && { reason }),
        ...(resolution !== undefined && { resolution }),
        ...(checkId !== undefined && { check_id: checkId }),
        ...(conditions.length > 0 && { conditions: conditions.map(presentCondition) }),
        previous_hash: previousHash,
        hash,
      }),
    ),
  }
}

function presentSummary(summary: AuditSummary): WirePlan['summary'] {
  const { drift } = summary
  return {
    checks_performed: summary.checks,
    outcomes_reported: summary.outcomes,
    statuses: {
      approved: summary.approved,
      denied: summary.denied,
      conditions: summary.conditions,
      human_reviewed: summary.humanReviewed,
    },
    findings_count: summary.findings,
    escalations: summary.escalations.map(({ checkId, reason, resolution, resolvedAt }) => ({
      check_id: checkId,
      reason,
      ...(resolution !== undefined && { resolution }),
      ...(resolvedAt !== undefined && { resolved_at: resolvedAt }),
    })),
    ...(drift && {
      drift_metrics: {
        escalation_rate: drift.escalationRate,
        escalation_rate_trend: drift.trend,
        auto_approval_rate: drift.autoApprovalRate,
        human_override_rate: drift.overrideRate,
        ...(drift.meanConfidence !== undefined && { mean_confidence: drift.meanConfidence }),
      },
    }),
  }
}

function presentEntry({ entryId, planId, kind, document }: AuditEntry, withPlan: boolean): WireEntry {
  const { at, caller, purchaseType, governanceContext, planHash, remarks = [] } = document
  const { tool, status, checkType, reason, policies, categories, outcome, outcomeStatus, committedMicros } = document
  const isCheck = kind === 'check'
  return {
    id: entryId,
    type: isCheck ? 'check' : 'outcome',
    timestamp: at,
    ...(withPlan && { plan_id: planId }),
    ...(caller !== undefined && { caller }),
    ...(purchaseType !== undefined && { purchase_type: purchaseType }),
    ...(governanceContext !== undefined && { governance_context: governanceContext }),
    ...(isCheck && {
      ...(tool !== undefined && { tool }),
      ...(status !== undefined && { status }),
      ...(checkType !== undefined && { check_type: checkType === 'execution' ? ('execution' as const) : ('intent' as const) }),
      mode: 'enforce' as const,
      ...(reason !== undefined && { explanation: reason }),
      policies_evaluated: [...(policies ?? [])],
      categories_evaluated: [...(categories ?? [])],
      ...(planHash !== undefined && { plan_hash: planHash }),
    }),
    ...(!isCheck && {
      ...(outcome !== undefined && { outcome }),
      ...(outcomeStatus !== undefined && { outcome_status: outcomeStatus }),
      ...(outcome === 'completed' && committedMicros !== undefined && { committed_budget: microsToAmount(committedMicros) }),
    }),
    findings: remarks.map((remark) => {
      const { category_id, policy_id, severity, explanation, confidence } = presentFinding(remark)
      return {
        category_id,
        ...(policy_id !== undefined && { policy_id }),
        severity,
        explanation,
        ...(confidence !== undefined && { confidence }),
      }
    }),
  }
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part * 10_000) / whole) / 100
}

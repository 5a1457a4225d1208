import { brokenAt } from '../../domain/governance/audit-chain.ts'
import type { Escalation } from '../../domain/governance/escalation.ts'
import { microsToAmount } from '../../domain/money.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findEscalated, listEscalated } from '../../store/governance/governance-actions.ts'
import { findEntry, readLog } from '../../store/governance/governance-log.ts'
import { presentCondition, presentFinding } from '../../tasks/governance/present-finding.ts'
import type { OperatorContext } from '../operator-context.ts'

export type ShownEscalation = ReturnType<typeof presentEscalation>

/** Actions under campaign plans that need a person's decision; with `decided`, also those that were decided. */
export async function listEscalations(
  { store }: OperatorContext,
  { tenantId, decided }: { readonly tenantId: string; readonly decided: boolean },
): Promise<readonly ShownEscalation[]> {
  const actions = await listEscalated(store.read, tenantId, decided)
  return actions.flatMap(({ escalation }) => escalation ?? []).map(presentEscalation)
}

/** One of them with its findings and what the log of its plan says of it. Throws REFERENCE_NOT_FOUND. */
export async function showEscalation({ store }: OperatorContext, tenantId: string, checkId: string) {
  const action = await findEscalated(store.read, tenantId, checkId)
  const entry = await findEntry(store.read, tenantId, checkId)
  if (!action?.escalation || !entry)
    throw new AdcpError('REFERENCE_NOT_FOUND', `no check ${checkId} is pending a decision by a person`, { field: 'check' })
  const log = (await readLog(store.read, entry, entry.planId)).filter(({ actionId }) => actionId === action.actionId)
  return {
    ...presentEscalation(action.escalation),
    findings: (entry.document.remarks ?? []).map((remark) => presentFinding(remark)),
    log: log.map(({ seq, kind, document: { at, actor, reason } }) => ({ seq, event: kind, at, actor, reason })),
  }
}

/** Recomputes the hash chain of the plan that a check belongs to. Throws REFERENCE_NOT_FOUND. */
export async function verifyPlanLog({ store }: OperatorContext, tenantId: string, checkId: string) {
  const entry = await findEntry(store.read, tenantId, checkId)
  if (!entry) throw new AdcpError('REFERENCE_NOT_FOUND', `there is no entry ${checkId}`, { field: 'check' })
  const log = await readLog(store.read, entry, entry.planId)
  const broken = brokenAt(log)
  return {
    plan_id: entry.planId,
    entries: log.length,
    intact: broken === undefined,
    broken_at: broken,
    head: log.at(-1)?.hash,
  }
}

export function presentEscalation({ checkId, planId, caller, tool, amountMicros, currency, why, review, createdAt }: Escalation) {
  return {
    check_id: checkId,
    plan_id: planId,
    caller,
    ...(tool !== undefined && { tool }),
    ...(amountMicros !== undefined && { amount: `${microsToAmount(amountMicros)} ${currency}` }),
    state: review?.resolution ?? 'pending',
    reason: why,
    created_at: createdAt,
    ...(review && {
      decided_by: review.decidedBy,
      decided_at: review.decidedAt,
      note: review.reason,
      conditions: review.conditions.map(presentCondition),
    }),
  }
}

import { randomUUID } from 'node:crypto'
import type { GovernedAction } from '../../domain/governance/action.ts'
import type { EntryDocument, NewEntry } from '../../domain/governance/audit-chain.ts'
import type { Decision } from '../../domain/governance/decision.ts'
import type { Escalation, Review } from '../../domain/governance/escalation.ts'
import type { Plan } from '../../domain/governance/plan.ts'
import type { IssuedToken } from './issue-token.ts'

interface Checked {
  readonly action: GovernedAction
  readonly decision: Decision
  readonly plan: Plan
  readonly review: Review | undefined
  readonly token: IssuedToken | undefined
  readonly tool: string | undefined
  readonly now: Date
}

/** The log entry of a check. */
export function checkEntry({ action, decision, plan, review, token, tool, now }: Checked): EntryDocument {
  return {
    at: now.toISOString(),
    actor: action.caller,
    caller: action.caller,
    reason: decision.explanation,
    status: decision.status,
    checkType: action.checkType,
    ...(tool !== undefined && { tool }),
    ...(action.amountMicros !== undefined && { amountMicros: action.amountMicros }),
    purchaseType: action.purchaseType,
    remarks: decision.remarks,
    conditions: decision.conditions,
    categories: decision.categories,
    policies: decision.policies,
    planHash: plan.planHash,
    planVersion: plan.version,
    humanReviewed: review !== undefined,
    ...(token && { governanceContext: token.value }),
  }
}

/** The log entry of what begins to wait for a person. */
export function escalationEntry({ checkId, why, createdAt, actionId, planHash }: Escalation): NewEntry {
  return {
    entryId: `esc_${randomUUID()}`,
    kind: 'escalation',
    actionId,
    document: { at: createdAt, actor: 'governance agent', reason: why, checkId, planHash },
  }
}

/** The log entry of what a person decided. */
export function reviewEntry({ checkId, actionId, planHash }: Escalation, review: Review): NewEntry {
  const { resolution, conditions, decidedBy, reason, decidedAt } = review
  return {
    entryId: `rev_${randomUUID()}`,
    kind: 'review',
    actionId,
    document: { at: decidedAt, actor: decidedBy, reason, resolution, conditions, checkId, planHash },
  }
}

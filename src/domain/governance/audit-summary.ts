import type { AuditEntry } from './audit-chain.ts'

/** Too few checks for a trend. */
const TREND_MIN = 4

/** A change of the escalation rate below this is none. */
const TREND_STEP = 0.1

export interface EscalationSummary {
  readonly checkId: string
  readonly reason: string
  readonly resolution: 'approved_by_human' | 'approved_by_human_with_conditions' | 'rejected_by_human' | undefined
  readonly resolvedAt: string | undefined
}

/** Figures over a plan's log (AdCP get-plan-audit-logs-response.json, `summary`). Rates are 0 to 1. */
export interface AuditSummary {
  readonly checks: number
  readonly outcomes: number
  readonly approved: number
  readonly denied: number
  readonly conditions: number
  readonly humanReviewed: number
  readonly findings: number
  readonly escalations: readonly EscalationSummary[]
  /** Undefined before the first check. */
  readonly drift: DriftMetrics | undefined
}

export interface DriftMetrics {
  readonly escalationRate: number
  readonly trend: 'increasing' | 'stable' | 'declining'
  readonly autoApprovalRate: number
  readonly overrideRate: number
  readonly meanConfidence: number | undefined
}

/** Counts what a log holds. The entries may be a selection; they come in order. */
export function summarise(entries: readonly AuditEntry[]): AuditSummary {
  const checks = entries.filter(({ kind }) => kind === 'check')
  const outcomes = entries.filter(({ kind }) => kind === 'outcome')
  const count = (status: string) => checks.filter(({ document }) => document.status === status).length
  const escalations = escalationsOf(entries)
  const remarks = [...checks, ...outcomes].flatMap(({ document }) => document.remarks ?? [])
  return {
    checks: checks.length,
    outcomes: outcomes.length,
    approved: count('approved'),
    denied: count('denied'),
    conditions: count('conditions'),
    humanReviewed: checks.filter(({ document }) => document.humanReviewed).length,
    findings: remarks.length,
    escalations,
    drift:
      checks.length === 0
        ? undefined
        : driftOf(
            checks,
            escalations,
            remarks.map(({ confidence }) => confidence),
          ),
  }
}

function escalationsOf(entries: readonly AuditEntry[]): EscalationSummary[] {
  const reviews = new Map(entries.filter(({ kind }) => kind === 'review').map(({ document }) => [document.checkId, document]))
  return entries
    .filter(({ kind }) => kind === 'escalation')
    .map(({ document: { checkId = '', reason = '' } }) => {
      const review = reviews.get(checkId)
      const yes =
        (review?.conditions?.length ?? 0) > 0 ? ('approved_by_human_with_conditions' as const) : ('approved_by_human' as const)
      const resolution = review && (review.resolution === 'approved' ? yes : ('rejected_by_human' as const))
      return { checkId, reason, resolution, resolvedAt: review?.at }
    })
}

function driftOf(
  checks: readonly AuditEntry[],
  escalations: readonly EscalationSummary[],
  confidences: readonly (number | undefined)[],
): DriftMetrics {
  const escalated = new Set(escalations.map(({ checkId }) => checkId))
  const rate = (some: readonly AuditEntry[]) => share(some.filter(({ entryId }) => escalated.has(entryId)).length, some.length)
  const half = Math.floor(checks.length / 2)
  const change = checks.length < TREND_MIN ? 0 : rate(checks.slice(half)) - rate(checks.slice(0, half))
  const resolved = escalations.filter(({ resolution }) => resolution !== undefined)
  const stated = confidences.filter((each) => each !== undefined)
  return {
    escalationRate: rate(checks),
    trend: change > TREND_STEP ? 'increasing' : change < -TREND_STEP ? 'declining' : 'stable',
    autoApprovalRate: share(
      checks.filter(({ document }) => document.status === 'approved' && !document.humanReviewed).length,
      checks.length,
    ),
    // An escalation is a denial until a person says otherwise: a yes overrides it.
    overrideRate: share(resolved.filter(({ resolution }) => resolution !== 'rejected_by_human').length, resolved.length),
    meanConfidence: stated.length === 0 ? undefined : stated.reduce((sum, each) => sum + each, 0) / stated.length,
  }
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}

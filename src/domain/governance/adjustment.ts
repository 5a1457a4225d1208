import { AdcpError } from '../../protocol/errors.ts'
import { microsToAmount } from '../money.ts'
import type { AuditEntry, EntryKind } from './audit-chain.ts'

export type AdjustmentType = 'decommitment' | 'refund' | 'credit' | 'makegood'

/** What a seller says has become of a commitment since (AdCP 3.2 governance/report-plan-adjustment-request.json). Never changed after it was reported. */
export interface Adjustment {
  /** The report of the commitment that it is of. */
  readonly outcomeId: string
  readonly sellerReference: string
  readonly sellerAdjustmentId: string
  readonly type: AdjustmentType
  readonly amountMicros: number
  readonly effectiveAt: string
  readonly evidence: {
    readonly evidence_id: string
    readonly evidence_type: string
    readonly digest: string
    readonly issued_at: string
  }
}

/** An adjustment with what the owner of the plan said of it. */
export interface ReviewedAdjustment extends Adjustment {
  readonly adjustmentId: string
  readonly actionId: string
  readonly reason: string
  readonly state: 'reported' | 'verified' | 'disputed'
}

/** Kinds of entries that {@link adjustmentsIn} reads. */
export const OF_ADJUSTMENTS: ReadonlySet<EntryKind> = new Set(['adjustment', 'adjustment_review'])

/** The adjustments in the log of a plan, in the order in which they were reported. */
export function adjustmentsIn(log: readonly AuditEntry[]): readonly ReviewedAdjustment[] {
  const decisions = new Map(
    log.flatMap(({ kind, document: { adjustmentId, decision } }) =>
      kind === 'adjustment_review' && adjustmentId !== undefined ? [[adjustmentId, decision]] : [],
    ),
  )
  return log.flatMap(({ entryId, kind, actionId, document: { adjustment, reason = '' } }) => {
    if (kind !== 'adjustment' || !adjustment) return []
    const decision = decisions.get(entryId)
    const state = decision === 'accept' ? 'verified' : decision === 'dispute' ? 'disputed' : 'reported'
    return [{ ...adjustment, adjustmentId: entryId, actionId, reason, state }]
  })
}

/** What an accepted adjustment gives back to a plan: decommitments alone, since plans count what was committed (`gross_commitment`). */
export function headroomOf({ state, type, amountMicros }: ReviewedAdjustment): number {
  return state === 'verified' && type === 'decommitment' ? amountMicros : 0
}

/** What a plan has committed, by every way of counting (report-plan-adjustment-response.json, `plan_summary`). `ledger`: micros that its actions have committed now. Major units of the plan's currency. */
export function adjustedSummary(
  ledger: number,
  adjustments: readonly ReviewedAdjustment[],
  totalMicros: number,
): Readonly<Record<string, string | number>> {
  const restored = sumOf(adjustments, headroomOf)
  const verified = sumOf(adjustments, ({ state, type, amountMicros }) =>
    state === 'verified' && type !== 'makegood' ? amountMicros : 0,
  )
  const gross = ledger + restored
  return {
    accounting_mode: 'gross_commitment',
    gross_committed: microsToAmount(gross),
    adjustments_reported: microsToAmount(sumOf(adjustments, ({ amountMicros }) => amountMicros)),
    adjustments_verified: microsToAmount(verified),
    net_cost: microsToAmount(Math.max(0, gross - verified)),
    headroom_restored: microsToAmount(restored),
    ledger_committed: microsToAmount(ledger),
    net_committed: microsToAmount(ledger),
    budget_remaining: microsToAmount(totalMicros - ledger),
  }
}

/**
 * Refuses an adjustment that does not fit the outcome that it is of: one of another reference, of evidence that stands for something else, or of more than what is left of the
 * commitment. `known`: those of the plan; `committedMicros`: of the outcome.
 */
export function requireAdjustable(
  adjustment: Adjustment,
  outcome: { readonly committedMicros: number; readonly sellerReference: string | undefined },
  known: readonly ReviewedAdjustment[],
): void {
  if (adjustment.sellerReference !== outcome.sellerReference)
    throw refusal('INVALID_REQUEST', 'seller_reference', 'is not the one that the outcome was reported with')
  const { evidence_id: id } = adjustment.evidence
  if (known.some(({ evidence }) => evidence.evidence_id === id))
    throw refusal('CONFLICT', 'evidence.evidence_id', 'stands for the evidence of another adjustment')
  const own = known.filter(({ outcomeId, state }) => outcomeId === adjustment.outcomeId && state !== 'disputed')
  const left = outcome.committedMicros - sumOf(own, ({ amountMicros }) => amountMicros)
  if (adjustment.amountMicros <= left) return
  const text = `is more than what is left of the commitment after its other adjustments, ${microsToAmount(left)}`
  throw refusal('INVALID_REQUEST', 'amount.amount', text)
}

export function refusal(code: 'INVALID_REQUEST' | 'INVALID_STATE' | 'CONFLICT', field: string, text: string): AdcpError {
  return new AdcpError(code, `${field} ${text}`, { field })
}

function sumOf(adjustments: readonly ReviewedAdjustment[], of: (each: ReviewedAdjustment) => number): number {
  return adjustments.reduce((sum, each) => sum + of(each), 0)
}

import type { Side } from '../party.ts'
import type { Adjustment } from './adjustment.ts'
import { requiredRevision } from './consumer-status.ts'
import type { ReportLedger, RevisionOutline } from './ledger.ts'
import { type Obligation, shortHash, sliceOf } from './obligation.ts'
import { offeringNamed, reconciliationMode } from './offering.ts'
import type { AdjustmentReceipt, Receipt, Recorded } from './receipt.ts'

export type ReconciliationStatus = 'not_required' | 'pending' | 'accepted' | 'rejected'

/** What of a report, or of a correction of it, its buyer has not accepted. */
export interface ReceiptIssue {
  readonly issueId: string
  readonly code: 'RECEIPT_REQUIRED' | 'RECEIPT_REJECTED' | 'ADJUSTMENT_RECEIPT_REQUIRED' | 'ADJUSTMENT_RECEIPT_REJECTED'
  readonly openedAt: string
  /** Who has to do something about it. */
  readonly party: Side
  readonly revisionId: string
  /** Of a correction. */
  readonly adjustmentId?: string
  /** Of a rejection. */
  readonly receipt?: Recorded<Receipt> | Recorded<AdjustmentReceipt>
  /** In words, for people. */
  readonly message: string
}

type Ledger = Pick<ReportLedger<RevisionOutline>, 'revisions' | 'adjustments' | 'receipts' | 'adjustmentReceipts'>

/** Whether the buyer has accepted the report that is required now and every correction of it (AdCP 3.2, core/reporting-obligation.json, `reconciliation_status`). */
export function reconciliationOf(
  obligation: Obligation,
  ledger: Ledger,
): { readonly status: ReconciliationStatus; readonly issues: readonly ReceiptIssue[] } {
  if (reconciliationMode(offeringNamed(obligation.offeringId)) === 'delivery_only') return { status: 'not_required', issues: [] }
  const slice = sliceOf(obligation)
  const required = requiredRevision(obligation, ledger.revisions.get(slice) ?? [])
  if (!required) return { status: 'pending', issues: [] }
  const own = receiptIssue(required, leafOf(ledger.receipts.get(obligation.obligationId) ?? [], required.reporting_revision_id))
  const received = ledger.adjustmentReceipts.get(slice) ?? []
  const corrections = (ledger.adjustments.get(slice) ?? []).flatMap((adjustment) => adjustmentIssue(adjustment, received) ?? [])
  const issues = [...(own ? [own] : []), ...corrections]
  const isRejected = issues.some(({ code }) => code.endsWith('_REJECTED'))
  return { status: isRejected ? 'rejected' : issues.length > 0 ? 'pending' : 'accepted', issues }
}

/** The newest receipt of a report. */
export function leafOf(receipts: readonly Recorded<Receipt>[], revisionId: string): Recorded<Receipt> | undefined {
  return receipts.findLast((each) => each.reporting_revision_id === revisionId)
}

/** The newest receipt of a correction. */
export function adjustmentLeaf(
  receipts: readonly Recorded<AdjustmentReceipt>[],
  adjustmentId: string,
): Recorded<AdjustmentReceipt> | undefined {
  return receipts.findLast((each) => each.reporting_adjustment_id === adjustmentId)
}

/** Corrections without an accepted receipt. */
export function pendingAdjustments(obligation: Obligation, { adjustments, adjustmentReceipts }: Ledger): number {
  const slice = sliceOf(obligation)
  const received = adjustmentReceipts.get(slice) ?? []
  const pending = (adjustments.get(slice) ?? []).filter(
    ({ reporting_adjustment_id: id }) => adjustmentLeaf(received, id)?.status !== 'accepted',
  )
  return pending.length
}

function receiptIssue(required: RevisionOutline, leaf: Recorded<Receipt> | undefined): ReceiptIssue | undefined {
  if (leaf?.status === 'accepted') return undefined
  const { reporting_revision_id: revisionId, created_at: publishedAt } = required
  if (leaf) return { ...rejected('RECEIPT_REJECTED', leaf, 'the buyer rejects the files of the report'), revisionId }
  const text = 'the buyer has not said yet whether it accepts the files of the report'
  return { ...open('RECEIPT_REQUIRED', revisionId, publishedAt, text), revisionId }
}

function adjustmentIssue(adjustment: Adjustment, received: readonly Recorded<AdjustmentReceipt>[]): ReceiptIssue | undefined {
  const { reporting_adjustment_id: id, adjusts_reporting_revision_id: revisionId, created_at: publishedAt } = adjustment
  const leaf = adjustmentLeaf(received, id)
  if (leaf?.status === 'accepted') return undefined
  const about = { revisionId, adjustmentId: id }
  if (leaf) return { ...rejected('ADJUSTMENT_RECEIPT_REJECTED', leaf, 'the buyer rejects a correction of the report'), ...about }
  const text = 'the buyer has not said yet whether it accepts a correction of the report'
  return { ...open('ADJUSTMENT_RECEIPT_REQUIRED', id, publishedAt, text), ...about }
}

function open(code: ReceiptIssue['code'], of: string, openedAt: string, message: string) {
  return { issueId: `reporting-issue.${shortHash([code, of])}`, code, openedAt, party: 'buyer' as const, message }
}

function rejected(code: ReceiptIssue['code'], receipt: Recorded<Receipt> | Recorded<AdjustmentReceipt>, text: string) {
  const { reporting_receipt_id: id, received_at: openedAt, rejection_codes: codes = [] } = receipt
  const message = `${text}: ${codes.join(', ')}`.slice(0, MOST_MESSAGE)
  return { issueId: `reporting-issue.${shortHash([code, id])}`, code, openedAt, party: 'seller' as const, receipt, message }
}

/** AdCP 3.2, core/reporting-status-issue.json, `message`. */
const MOST_MESSAGE = 500

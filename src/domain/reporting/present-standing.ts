import { requiredRevision } from './consumer-status.ts'
import type { ReportLedger, RevisionOutline } from './ledger.ts'
import { type Obligation, presentObligation, sliceOf } from './obligation.ts'
import { pendingAdjustments, reconciliationOf } from './reconciliation.ts'
import { filesOf, healthOf, isComplete, issuesIn } from './status.ts'

type Ledger = ReportLedger<RevisionOutline>

/** An obligation with where it stands (AdCP 3.2, core/reporting-obligation.json). */
export function presentStanding(obligation: Obligation, ledger: Ledger) {
  const slice = sliceOf(obligation)
  const revisions = ledger.revisions.get(slice)?.length ?? 0
  const statements = ledger.statements.get(obligation.obligationId) ?? []
  const current = statements.at(-1)
  return {
    ...presentObligation(obligation),
    health: healthOf(obligation, ledger),
    production_status: isPublished(obligation, ledger) ? ('published' as const) : ('pending' as const),
    revision_count: revisions,
    adjustment_count: ledger.adjustments.get(slice)?.length ?? 0,
    consumer_status_count: statements.length,
    ...(current && { current_consumer_status_id: current.reporting_status_id }),
    ...filesStanding(obligation, ledger),
    ...receiptStanding(obligation, ledger),
    issues: issuesIn(obligation, ledger),
  }
}

/**
 * Where receipts are due, a report is published once what they are about is there: before the final one the schema (AdCP 3.2, core/reporting-obligation.json)
 * would demand an issue that asks for a receipt.
 */
function isPublished(obligation: Obligation, ledger: Ledger): boolean {
  const isReceipted = reconciliationOf(obligation, ledger).status !== 'not_required'
  return isReceipted ? isComplete(obligation, ledger) : (ledger.revisions.get(sliceOf(obligation))?.length ?? 0) > 0
}

function filesStanding(obligation: Obligation, ledger: Ledger): object {
  if (obligation.destinationRef === undefined) return {}
  const made = ledger.materializations.get(obligation.obligationId) ?? []
  const required = requiredRevision(obligation, ledger.revisions.get(sliceOf(obligation)) ?? [])
  const until = required && filesOf(obligation, required, ledger)?.resource.expires_at
  return {
    // Each is made whole with its record, or not at all.
    materialization_count: made.length,
    successful_materialization_count: made.length,
    ...(until !== undefined && { resource_retained_until: until }),
  }
}

function receiptStanding(obligation: Obligation, ledger: Ledger) {
  const { status } = reconciliationOf(obligation, ledger)
  if (status === 'not_required') return { reconciliation_status: status }
  const receipts = ledger.receipts.get(obligation.obligationId) ?? []
  const corrections = ledger.adjustmentReceipts.get(sliceOf(obligation)) ?? []
  const accepted = (all: readonly { readonly status: string }[]) => all.filter((each) => each.status === 'accepted').length
  return {
    reconciliation_status: status,
    receipt_count: receipts.length,
    accepted_receipt_count: accepted(receipts),
    adjustment_receipt_count: corrections.length,
    accepted_adjustment_receipt_count: accepted(corrections),
    pending_adjustment_count: pendingAdjustments(obligation, ledger),
  }
}

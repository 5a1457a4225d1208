import { encodeCursor } from '../../domain/cursor.ts'
import type { ReportRecord } from '../../domain/reporting/ledger.ts'
import { snapshotId } from '../../domain/reporting/snapshot.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import type { ReportOwner } from '../../store/reporting/generations.ts'
import { findRevision, listRecords } from '../../store/reporting/records.ts'
import { DEFAULT_PAGE, placeOf, type StatusRequest, unavailable } from './reporting-walk.ts'

/** One report with its corrections and what the buyer said of it (AdCP 3.2, get_reporting_status, view `revision`). */
export async function revisionView(
  request: StatusRequest,
  owner: ReportOwner,
  context: InTransaction<AuthenticatedContext>,
): Promise<object> {
  const found = await findRevision(context.tx, owner, request.reporting_revision_id ?? '')
  if (!found) return unavailable('revision')
  const query = ['get_reporting_status', owner, request.reporting_revision_id]
  const { snapshot, offset } = await placeOf(request, query, owner, context)
  const id = found.revision.reporting_revision_id
  const slice = await listRecords(context.tx, owner, { until: snapshot.seq, slices: [found.sliceId] })
  const chains = slice.flatMap((each) => (each.kind === 'obligation' ? [each.obligation.obligationId] : []))
  const said = await listRecords(context.tx, owner, { until: snapshot.seq, slices: chains })
  const all = [
    ...slice.filter((each) => each.kind === 'adjustment' && each.adjustment.adjusts_reporting_revision_id === id),
    ...slice.filter((each) => each.kind === 'adjustment_receipt' && each.adjustmentReceipt.adjusts_reporting_revision_id === id),
    ...said.filter((each) => namedBy(each) === id),
  ]
  const most = request.pagination?.max_results ?? DEFAULT_PAGE
  const hasMore = offset + most < all.length
  const page = all.slice(offset, offset + most)
  const next = [snapshot.seq, snapshot.asOf.toISOString(), offset + most].join(' ')
  return {
    view: 'revision',
    ledger_snapshot_id: snapshotId(owner, snapshot),
    ledger_as_of: snapshot.asOf.toISOString(),
    account_id: owner.accountId,
    revision: found.revision,
    adjustments: page.flatMap((each) => (each.kind === 'adjustment' ? [each.adjustment] : [])),
    consumer_statuses: page.flatMap((each) => (each.kind === 'consumer_status' ? [each.statement] : [])),
    ...presentEvidence(page),
    pagination: { has_more: hasMore, total_count: all.length, ...(hasMore && { cursor: encodeCursor(query, next) }) },
  }
}

/** The report that a statement, files or a receipt are about. */
function namedBy(record: ReportRecord): string | undefined {
  if (record.kind === 'consumer_status') return record.statement.reporting_revision_id
  if (record.kind === 'materialization') return record.materialization.reporting_revision_id
  return record.kind === 'receipt' ? record.receipt.reporting_revision_id : undefined
}

/** The files and receipts of a page of records. */
export function presentEvidence(page: readonly ({ readonly kind: 'obligation' } | ReportRecord)[]) {
  return {
    materializations: page.flatMap((each) => (each.kind === 'materialization' ? [each.materialization] : [])),
    receipts: page.flatMap((each) => (each.kind === 'receipt' ? [each.receipt] : [])),
    adjustment_receipts: page.flatMap((each) => (each.kind === 'adjustment_receipt' ? [each.adjustmentReceipt] : [])),
  }
}

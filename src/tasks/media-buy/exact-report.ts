import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { shownRows } from '../../domain/reporting/flat-rows.ts'
import { formDefined } from '../../domain/reporting/form.ts'
import type { ReportRow } from '../../domain/reporting/report-row.ts'
import type { Revision } from '../../domain/reporting/revision.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findRevision } from '../../store/reporting/records.ts'
import { ownerOf } from './reporting-walk.ts'

/** What AdCP 3.2 added to media-buy/get-media-buy-delivery-request.json. */
export interface ExactRequest {
  readonly reporting_revision_id?: string
  readonly pagination?: { readonly max_results?: number; readonly cursor?: string }
}

/** Rows of one page, unless the request says otherwise. */
const DEFAULT_PAGE = 100

/**
 * One published report as it was published (AdCP 3.2, get_media_buy_delivery with `reporting_revision_id`): a page of its rows, in their order, with the digest
 * of all. Throws REFERENCE_NOT_FOUND for one that is not the caller's.
 */
export async function exactReport(
  request: ExactRequest,
  { tx, account, principal }: InTransaction<AuthenticatedContext>,
): Promise<object> {
  const field = 'reporting_revision_id'
  if (!account) throw new AdcpError('INVALID_REQUEST', 'account is required beside reporting_revision_id', { field: 'account' })
  const owner = ownerOf(account, principal)
  const found = await findRevision(tx, owner, request.reporting_revision_id ?? '')
  if (!found) throw new AdcpError('REFERENCE_NOT_FOUND', `${field} is not a report of this account`, { field })
  const { revision, rows }: { readonly revision: Revision; readonly rows: readonly ReportRow[] } = found
  const query = ['exact report', owner, revision.reporting_revision_id]
  const offset = Number(decodeCursor(query, request.pagination?.cursor) ?? 0)
  const until = offset + (request.pagination?.max_results ?? DEFAULT_PAGE)
  const hasMore = until < rows.length
  return {
    reporting_period: { start: revision.period.start, end: revision.period.end },
    media_buy_deliveries: [],
    reporting_revision: revision,
    reporting_revision_binding: {
      reporting_revision_id: revision.reporting_revision_id,
      row_count: revision.row_count,
      control_totals: revision.control_totals,
      content_sha256: revision.revision_content_sha256,
    },
    reporting_rows: shownRows(formDefined(revision.report_definition_id), rows.slice(offset, until)),
    pagination: { has_more: hasMore, total_count: rows.length, ...(hasMore && { cursor: encodeCursor(query, String(until)) }) },
  }
}

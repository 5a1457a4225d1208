import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { shownRows } from '../../domain/reporting/flat-rows.ts'
import { formDefined } from '../../domain/reporting/form.ts'
import type { ReportRow } from '../../domain/reporting/report-row.ts'
import type { Revision } from '../../domain/reporting/revision.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { AdcpError, type Issue } from '../../protocol/errors.ts'
import { isBeforeCandidate, parseVersion } from '../../protocol/release-version.ts'
import { findRevision } from '../../store/reporting/records.ts'
import { ownerOf } from './reporting-walk.ts'

/** What AdCP 3.2 added to media-buy/get-media-buy-delivery-request.json. */
export interface ExactRequest {
  readonly adcp_version?: string
  readonly reporting_revision_id?: string
  readonly pagination?: { readonly max_results?: number; readonly cursor?: string }
}

/** What selects delivery otherwise, and goes with no report that is published already (AdCP 3.2, media-buy/get-media-buy-delivery-request.json). */
const SELECTORS = [
  ...['media_buy_ids', 'start_date', 'end_date', 'status_filter', 'requested_metrics', 'reporting_dimensions'],
  ...['attribution_window', 'include_package_daily_breakdown', 'time_granularity', 'include_window_breakdown'],
] as const

/** Whether a finding of the schema is that a request has selectors beside the name of a report, which {@link exactReport} says in better words. */
export function isMixedSelection({ pointer, keyword }: Pick<Issue, 'pointer' | 'keyword'>, request: object): boolean {
  return pointer === '' && keyword === 'not' && 'reporting_revision_id' in request && selectorsIn(request).length > 0
}

function selectorsIn(request: object): readonly string[] {
  return SELECTORS.filter((name) => Object.hasOwn(request, name))
}

/** The release candidate of 3.2 that brought reads of one report. */
const FIRST_CANDIDATE = 1

/** Throws VALIDATION_ERROR for a selector beside the report, and VERSION_UNSUPPORTED for a pre-release of 3.2 that has no such reads. */
function requireExact(request: ExactRequest, { services, tenant }: AuthenticatedContext): void {
  const [selector, ...more] = selectorsIn(request)
  if (selector !== undefined) {
    const message = `a published report has all of its rows: leave out ${[selector, ...more].join(', ')} beside reporting_revision_id`
    throw new AdcpError('VALIDATION_ERROR', message, { field: selector })
  }
  const version = parseVersion(request.adcp_version ?? '')
  if (!version || !isBeforeCandidate(version, FIRST_CANDIDATE)) return
  const { lines, majors } = services.contracts.only(tenant.settings.releases)
  const message = `AdCP ${request.adcp_version} has no reads of one report; send adcp_version "3.2"`
  const details = { supported_major_versions: majors, supported_versions: lines }
  throw new AdcpError('VERSION_UNSUPPORTED', message, { field: 'adcp_version', details })
}

/** Rows of one page, unless the request says otherwise. */
const DEFAULT_PAGE = 100

/**
 * One published report as it was published (AdCP 3.2, get_media_buy_delivery with `reporting_revision_id`): a page of its rows, in their order, with the digest
 * of all. Throws REFERENCE_NOT_FOUND for one that is not the caller's, VALIDATION_ERROR for a selector beside it, and VERSION_UNSUPPORTED for an earlier pre-release of 3.2.
 */
export async function exactReport(request: ExactRequest, context: InTransaction<AuthenticatedContext>): Promise<object> {
  requireExact(request, context)
  const { tx, account, principal } = context
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

import type { SyncCreativesRequest, SyncCreativesSuccess } from '@adcp/sdk'
import type { FormatKey } from '../../domain/creative/formats/format-id.ts'
import { presentDecision } from '../../domain/creative/sync-creative.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { type AssignmentReport, assignCreatives } from './assign-creatives.ts'
import { type GeneratedPreview, generateCreatives } from './generate-creatives.ts'
import { SYNC_CREATIVES } from './input-notes.ts'
import { optionLimits } from './option-limits.ts'
import { policiesOfSync } from './provenance-policies.ts'
import { removeMissing } from './remove-missing.ts'
import { summarizeSyncedCreatives } from './summaries.ts'
import { upsertCreatives } from './upsert-creatives.ts'

type Row = SyncCreativesSuccess['creatives'][number]

export const syncCreatives = defineTask<SyncCreativesRequest, SyncCreativesSuccess>()({
  name: 'sync_creatives',
  mutating: true,
  access: 'authenticated',
  scope: 'creatives',
  account: 'required',
  summary: 'Upload or change creatives, check them against their formats, and assign them to packages.',
  input: SYNC_CREATIVES,
  summarize: summarizeSyncedCreatives,
  prepare: (request, context) => generateCreatives(context, request.creatives, { publish: request.dry_run !== true }),
  async handle({ creatives: _sent, ...asked }, context, generated) {
    const request = { ...asked, creatives: [...generated.creatives] }
    const { account, principal } = context
    if (!account) throw new AdcpError('INVALID_REQUEST', 'account is required', { field: 'account' })
    requireConsistent(request)
    const dryRun = request.dry_run === true
    const { accountId } = account
    const wanted = request.creatives.filter(({ creative_id }) => request.creative_ids?.includes(creative_id) ?? true)
    const mode = request.validation_mode ?? 'strict'
    const policiesOf = await policiesOfSync(context, request.assignments)
    const limitsOf = await optionLimits(context, { assignments: request.assignments })
    const decisions = await upsertCreatives(context, wanted, { accountId, mode, dryRun, policiesOf, limitsOf, generated })
    const rows = decisions.map(presentDecision).map((row) => withPreview(row, generated.previews.get(row.creative_id)))
    const removed = request.delete_missing ? await removeMissing(context, accountId, request.creatives, dryRun) : []
    const failed = new Set(rows.filter((row) => row.action === 'failed').map((row) => row.creative_id))
    return {
      creatives: [...(await withAssignments(request, context, rows, failed)), ...removed],
      ...(request.dry_run !== undefined && { dry_run: dryRun }),
      ...((principal.sandbox || account.sandbox) && { sandbox: true }),
    }
  },
})

function requireConsistent({ delete_missing, creative_ids }: SyncCreativesRequest): void {
  if (!delete_missing || !creative_ids) return
  throw new AdcpError('INVALID_REQUEST', 'delete_missing covers the whole library and cannot go with creative_ids', {
    field: 'delete_missing',
  })
}

/** Assigns what the request asks for and notes it on the rows; a creative that was not sent along gets a row of its own. */
async function withAssignments(
  request: SyncCreativesRequest,
  context: InTransaction<AuthenticatedContext>,
  rows: readonly Row[],
  failed: ReadonlySet<string>,
): Promise<Row[]> {
  if (!request.assignments) return [...rows]
  const assignments = request.assignments.filter(({ creative_id }) => !failed.has(creative_id))
  const upcoming = new Map<string, FormatKey>(request.creatives.map((wire) => [wire.creative_id, wire.format_id]))
  for (const id of failed) upcoming.delete(id)
  const accountId = context.account?.accountId ?? ''
  const reports = await assignCreatives(context, assignments, { accountId, dryRun: request.dry_run === true, upcoming })
  const others = [...reports.keys()].filter((id) => !rows.some((row) => row.creative_id === id))
  const extra = others.map((id): Row => ({ creative_id: id, action: 'unchanged' }))
  return [...rows, ...extra].map((row) => withReport(row, reports.get(row.creative_id)))
}

/** sync-creatives-response.json `preview_url`: for generative creatives that were taken. */
function withPreview(row: Row, preview: GeneratedPreview | undefined): Row {
  if (!preview || row.action === 'failed') return row
  return { ...row, preview_url: preview.url, expires_at: preview.expiresAt }
}

function withReport(row: Row, report: AssignmentReport | undefined): Row {
  if (!report) return row
  return {
    ...row,
    assigned_to: report.assignedTo,
    ...(Object.keys(report.errors).length > 0 && { assignment_errors: report.errors }),
  }
}

import type { SyncCreativesRequest, SyncCreativesSuccess } from '@adcp/sdk'
import { type AssignmentOperation, assignmentOperations } from '../../domain/creative/assignment-operations.ts'
import { formatRefusal, presentDecision, type SyncDecision } from '../../domain/creative/sync-creative.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { applyAssignmentOperations } from './apply-assignment-operations.ts'
import { type AssignmentReport, assignCreatives } from './assign-creatives.ts'
import { type GeneratedPreview, generateCreatives } from './generate-creatives.ts'
import { SYNC_CREATIVES } from './input-notes.ts'
import { optionLimits } from './option-limits.ts'
import { policiesOfSync } from './provenance-policies.ts'
import { removeMissing } from './remove-missing.ts'
import { summarizeSyncedCreatives } from './summaries.ts'
import { unfitCreatives } from './unfit-creatives.ts'
import { upsertCreatives } from './upsert-creatives.ts'

/** What assigns creatives that are in the library already. */
const ASSIGNS_ALONE =
  'to assign creatives that are in your library use update_media_buy with packages [{"package_id": "…", "creative_assignments": [{"creative_id": "…"}]}], which replaces those of the package'

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
  candidates: async ({ pointer, keyword }, request) =>
    pointer === '/creatives' && (keyword === 'required' || keyword === 'minItems') && 'assignments' in request
      ? ASSIGNS_ALONE
      : undefined,
  unknown: async ({ creatives = [] }, context) => unfitCreatives(creatives, context),
  // Assignments of 3.2 come without creatives; 3.0 wants at least one.
  takesForm: ({ pointer, keyword }) => pointer === '/creatives' && keyword === 'minItems',
  prepare: (request, context) => generateCreatives(context, request.creatives, { publish: request.dry_run !== true }),
  async handle({ creatives: _sent, ...asked }, context, generated) {
    const operations = assignmentOperations(asked)
    const request = { ...asked, creatives: [...generated.creatives] }
    const { account, principal } = context
    if (!account) throw new AdcpError('INVALID_REQUEST', 'account is required', { field: 'account' })
    requireConsistent(request)
    const dryRun = request.dry_run === true
    const { accountId } = account
    const ids = request.creative_ids && new Set(request.creative_ids)
    const wanted = request.creatives.filter(({ creative_id }) => ids?.has(creative_id) ?? true)
    const mode = request.validation_mode ?? 'strict'
    const assignments = request.assignments ?? operations.filter(({ operation }) => operation !== 'unassign')
    const policiesOf = await policiesOfSync(context, assignments)
    const limitsOf = await optionLimits(context, { assignments })
    const decisions = await upsertCreatives(context, wanted, { accountId, mode, dryRun, policiesOf, limitsOf, generated })
    // The schema has strict fail the operation; 3.0 clients read its rows.
    const refusal = mode === 'strict' && !dryRun && context.contract.rules.strictUploads ? formatRefusal(decisions) : undefined
    if (refusal) throw refusal
    const rows = decisions.map(presentDecision).map((row) => withPreview(row, generated.previews.get(row.creative_id)))
    const removed = request.delete_missing ? await removeMissing(context, accountId, request.creatives, dryRun) : []
    return {
      creatives: [...(await withAssignments(request, context, { rows, decisions, operations })), ...removed],
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
  {
    rows,
    decisions,
    operations,
  }: {
    readonly rows: readonly Row[]
    readonly decisions: readonly SyncDecision[]
    readonly operations: readonly AssignmentOperation[]
  },
): Promise<Row[]> {
  if (!request.assignments && operations.length === 0) return [...rows]
  const taken = decisions.flatMap((each) => (each.action === 'failed' ? [] : [each.creative]))
  const upcoming = new Map(taken.map(({ creativeId, content }) => [creativeId, content]))
  const failed = new Set(decisions.flatMap((each) => (each.action === 'failed' ? [each.creativeId] : [])))
  const options = { accountId: context.account?.accountId ?? '', dryRun: request.dry_run === true, upcoming }
  const assignments = (request.assignments ?? []).filter(({ creative_id }) => !failed.has(creative_id))
  const reports =
    operations.length === 0
      ? await assignCreatives(context, assignments, options)
      : failed.size > 0
        ? notApplied(operations)
        : await applyAssignmentOperations(context, operations, options)
  const shown = new Set(rows.map((row) => row.creative_id))
  const others = [...reports.keys()].filter((id) => !shown.has(id))
  const extra = others.map((id): Row => ({ creative_id: id, action: 'unchanged' }))
  return [...rows, ...extra].map((row) => withReport(row, reports.get(row.creative_id)))
}

/** Operations apply with the whole request: none does where one of its creatives failed. */
function notApplied(operations: readonly AssignmentOperation[]): ReadonlyMap<string, AssignmentReport> {
  const why = 'not applied: a creative of the request failed, and assignment_operations apply as a whole'
  const packagesOf = (id: string) => operations.filter((each) => each.creative_id === id).map((each) => [each.package_id, why])
  return new Map(operations.map(({ creative_id: id }) => [id, { assignedTo: [], errors: Object.fromEntries(packagesOf(id)) }]))
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

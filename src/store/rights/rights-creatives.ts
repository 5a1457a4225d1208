import type { Selectable } from 'kysely'
import type { SubmittedCreative, Verdict } from '../../domain/rights/review-creative.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../database.ts'
import type { RightsCreativeTables } from './rows.ts'

/** Stores a creative that was submitted under a grant. */
export async function insertSubmission(tx: Db, tenantId: string, creative: SubmittedCreative): Promise<void> {
  await tx
    .insertInto('rights_creatives')
    .values({
      tenant_id: tenantId,
      submission_id: creative.submissionId,
      grant_id: creative.grantId,
      creative_key: creative.creativeKey,
      creative_id: creative.creativeId ?? null,
      url: creative.url,
      description: creative.description ?? null,
      ...verdictColumns(creative),
      submitted_at: creative.submittedAt,
      decided_at: creative.decidedAt ?? null,
    })
    .execute()
}

/** The submission of this very creative under a grant that was not declined. */
export async function standingSubmission(
  db: Db,
  tenantId: string,
  grantId: string,
  { creativeKey, url }: Pick<SubmittedCreative, 'creativeKey' | 'url'>,
): Promise<SubmittedCreative | undefined> {
  const row = await db
    .selectFrom('rights_creatives')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('grant_id', '=', grantId)
    .where('creative_key', '=', creativeKey)
    .where('url', '=', url)
    .where('status', '!=', 'rejected')
    .limit(1)
    .executeTakeFirst()
  return row && submissionOf(row)
}

/** A submission by its id alone, which cannot be guessed. */
export async function findSubmissionAnywhere(
  db: Db,
  submissionId: string,
): Promise<(SubmittedCreative & { readonly tenantId: string }) | undefined> {
  const row = await db.selectFrom('rights_creatives').selectAll().where('submission_id', '=', submissionId).executeTakeFirst()
  return row && { ...submissionOf(row), tenantId: row.tenant_id }
}

/** What waits for a reviewer, oldest first, `limit` at most. */
export async function listSubmissionsInReview(db: Db, tenantId: string, limit: number): Promise<SubmittedCreative[]> {
  const rows = await db
    .selectFrom('rights_creatives')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('status', '=', 'pending_review')
    .orderBy('submitted_at')
    .orderBy('submission_id')
    .limit(limit)
    .execute()
  return rows.map(submissionOf)
}

/** Writes a reviewer's verdict. Throws INVALID_STATE when there is one already, REFERENCE_NOT_FOUND when nothing of that id was submitted. */
export async function decideSubmission(
  tx: Db,
  tenantId: string,
  submissionId: string,
  verdict: Verdict,
  now: Date,
): Promise<SubmittedCreative> {
  const row = await tx
    .updateTable('rights_creatives')
    .set({ ...verdictColumns(verdict), decided_at: now.toISOString() })
    .where('tenant_id', '=', tenantId)
    .where('submission_id', '=', submissionId)
    .where('status', '=', 'pending_review')
    .returningAll()
    .executeTakeFirst()
  if (row) return submissionOf(row)
  const found = await findSubmissionAnywhere(tx, submissionId)
  if (found?.tenantId === tenantId) throw new AdcpError('INVALID_STATE', `the creative is ${found.status} already`)
  throw new AdcpError('REFERENCE_NOT_FOUND', `nothing was submitted as ${submissionId}`, { field: 'submission_id' })
}

function verdictColumns({ status, reason, suggestions, conditions }: Verdict) {
  return { status, verdict: JSON.stringify({ reason, suggestions, conditions }) }
}

function submissionOf(row: Selectable<RightsCreativeTables['rights_creatives']>): SubmittedCreative {
  const { reason, suggestions, conditions }: Omit<Verdict, 'status'> = JSON.parse(row.verdict)
  return {
    submissionId: row.submission_id,
    grantId: row.grant_id,
    creativeKey: row.creative_key,
    creativeId: row.creative_id ?? undefined,
    url: row.url,
    description: row.description ?? undefined,
    status: row.status,
    reason,
    suggestions,
    conditions,
    submittedAt: row.submitted_at,
    decidedAt: row.decided_at ?? undefined,
  }
}

import type { Db } from '../database.ts'
import type { ReportOwner } from './generations.ts'

/** An account of a conformance suite: its clock, and how far the source of its delivery is. Moments are ISO 8601 UTC. */
export interface ReportingLab {
  readonly now: string
  /** Periods that end later are not counted yet. */
  readonly countedUntil?: string | undefined
  /** The id of the report that is published next; absent: it follows from its rows. */
  readonly revisionId?: string | undefined
}

export async function findLab(db: Db, { tenantId, principalId, accountId }: ReportOwner): Promise<ReportingLab | undefined> {
  const row = await db
    .selectFrom('reporting_labs')
    .select(['now_is', 'counted_until', 'revision_id'])
    .where('tenant_id', '=', tenantId)
    .where('principal_id', '=', principalId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row && { now: row.now_is, countedUntil: row.counted_until ?? undefined, revisionId: row.revision_id ?? undefined }
}

export async function saveLab(tx: Db, { tenantId, principalId, accountId }: ReportOwner, lab: ReportingLab): Promise<void> {
  const state = { now_is: lab.now, counted_until: lab.countedUntil ?? null, revision_id: lab.revisionId ?? null }
  await tx
    .insertInto('reporting_labs')
    .values({ tenant_id: tenantId, principal_id: principalId, account_id: accountId, ...state })
    .onConflict((c) => c.columns(['tenant_id', 'principal_id', 'account_id']).doUpdateSet(state))
    .execute()
}

/** Forgets all reports of an account of a conformance suite, as if none had been configured. */
export async function forgetReports(tx: Db, { tenantId, principalId, accountId }: ReportOwner): Promise<void> {
  for (const table of ['reporting_generations', 'reporting_records', 'reporting_files', 'reporting_cases'] as const)
    await tx
      .deleteFrom(table)
      .where('tenant_id', '=', tenantId)
      .where('principal_id', '=', principalId)
      .where('account_id', '=', accountId)
      .execute()
}

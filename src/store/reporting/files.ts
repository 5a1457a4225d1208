import type { ReportFile } from '../../domain/reporting/materialization.ts'
import type { Db } from '../database.ts'
import type { ReportOwner } from './generations.ts'

/** A file of a report with whose it is. */
export interface StoredFile extends ReportOwner, ReportFile {}

/** Adds the files of one report, with the transaction that records them. */
export async function addReportFiles(
  tx: Db,
  owner: ReportOwner,
  { resourceRef, files }: { readonly resourceRef: string; readonly files: readonly ReportFile[] },
  now: Date,
): Promise<void> {
  for (const { objectRef, mediaType, bytes } of files)
    await tx
      .insertInto('reporting_files')
      .values({
        ...{ resource_ref: resourceRef, object_ref: objectRef },
        ...{ tenant_id: owner.tenantId, principal_id: owner.principalId, account_id: owner.accountId },
        ...{ media_type: mediaType, content: Buffer.from(bytes).toString('base64'), written_at: now.toISOString() },
      })
      .execute()
}

/** A file by the names of its report and of itself, whosever it is: who asks has to be compared. */
export async function findReportFile(db: Db, resourceRef: string, objectRef: string): Promise<StoredFile | undefined> {
  const row = await db
    .selectFrom('reporting_files')
    .selectAll()
    .where('resource_ref', '=', resourceRef)
    .where('object_ref', '=', objectRef)
    .executeTakeFirst()
  if (!row) return undefined
  const { tenant_id: tenantId, principal_id: principalId, account_id: accountId, media_type: mediaType } = row
  return { tenantId, principalId, accountId, objectRef, mediaType, bytes: Buffer.from(row.content, 'base64') }
}

/** The names of the files of a report. */
export async function listReportFiles(db: Db, resourceRef: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('reporting_files')
    .select('object_ref')
    .where('resource_ref', '=', resourceRef)
    .orderBy('object_ref')
    .execute()
  return rows.map((row) => row.object_ref)
}

/** Drops files from before a moment, `limit` at most. Returns how many. */
export async function sweepReportFiles(tx: Db, before: Date, limit: number): Promise<number> {
  const old = await tx
    .selectFrom('reporting_files')
    .select(['resource_ref', 'object_ref'])
    .where('written_at', '<', before.toISOString())
    .orderBy('written_at')
    .limit(limit)
    .execute()
  for (const row of old)
    await tx
      .deleteFrom('reporting_files')
      .where('resource_ref', '=', row.resource_ref)
      .where('object_ref', '=', row.object_ref)
      .execute()
  return old.length
}

import type { Db } from '../database.ts'

/** A report as files that are attached to mails; a form is absent where it is too large. */
export interface ReportFiles {
  readonly fileId: string
  readonly tenantId: string
  /** Without the ending. */
  readonly name: string
  readonly csv: string | undefined
  readonly xlsx: Uint8Array | undefined
}

/** Writes the files of a report. */
export async function insertReportFiles(tx: Db, { fileId, tenantId, name, csv, xlsx }: ReportFiles, now: Date): Promise<void> {
  await tx
    .insertInto('report_files')
    .values({
      ...{ file_id: fileId, tenant_id: tenantId, name, csv: csv ?? null, made_at: now.toISOString() },
      xlsx: xlsx === undefined ? null : Buffer.from(xlsx).toString('base64'),
    })
    .execute()
}

export async function findReportFiles(db: Db, tenantId: string, fileId: string): Promise<ReportFiles | undefined> {
  const query = db.selectFrom('report_files').selectAll().where('tenant_id', '=', tenantId).where('file_id', '=', fileId)
  const row = await query.executeTakeFirst()
  if (!row) return undefined
  const xlsx = row.xlsx === null ? undefined : Buffer.from(row.xlsx, 'base64')
  return { fileId, tenantId, name: row.name, csv: row.csv ?? undefined, xlsx }
}

/** Drops files that were made before a moment, once no message waits to be sent with them. */
export async function sweepReportFiles(tx: Db, before: Date): Promise<void> {
  await tx
    .deleteFrom('report_files')
    .where('made_at', '<', before.toISOString())
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('notification_outbox')
            .select('delivery_id')
            .where('state', '=', 'pending')
            .whereRef('notification_outbox.report_file', '=', 'report_files.file_id'),
        ),
      ),
    )
    .execute()
}

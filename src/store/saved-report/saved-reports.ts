import type { Selectable } from 'kysely'
import type { SumDimension } from '../ad-serving/read-sums.ts'
import type { Db } from '../database.ts'
import { sortRows } from '../sort-rows.ts'
import type { SavedReportTables } from './rows.ts'

export type SavedReportRow = Selectable<SavedReportTables['saved_reports']>

/** What a saved report asks: fixed days, or the last so many. */
export interface SavedQuestion {
  readonly by: readonly SumDimension[]
  readonly first?: string
  readonly last?: string
  readonly last_days?: number
  readonly buyer?: string
  readonly product?: string
  readonly order?: string
  readonly sandbox?: boolean
}

/** The question of a saved report. */
export function questionIn({ document }: Pick<SavedReportRow, 'document'>): SavedQuestion {
  return JSON.parse(document)
}

/** Writes a saved report, or takes the place of the one that has this name. */
export async function putSavedReport(tx: Db, row: SavedReportRow): Promise<void> {
  const { tenant_id: _tenant, name: _name, ...columns } = row
  await tx
    .insertInto('saved_reports')
    .values(row)
    .onConflict((c) => c.columns(['tenant_id', 'name']).doUpdateSet(columns))
    .execute()
}

/** The saved reports of a publisher, by name. */
export async function listSavedReports(db: Db, tenantId: string): Promise<SavedReportRow[]> {
  return sortRows(await db.selectFrom('saved_reports').selectAll().where('tenant_id', '=', tenantId).execute(), 'name')
}

export async function findSavedReport(db: Db, tenantId: string, name: string): Promise<SavedReportRow | undefined> {
  const query = db.selectFrom('saved_reports').selectAll().where('tenant_id', '=', tenantId).where('name', '=', name)
  return query.executeTakeFirst()
}

/** Whether there was one. */
export async function deleteSavedReport(tx: Db, tenantId: string, name: string): Promise<boolean> {
  const query = tx.deleteFrom('saved_reports').where('tenant_id', '=', tenantId).where('name', '=', name)
  return (await query.executeTakeFirst()).numDeletedRows > 0n
}

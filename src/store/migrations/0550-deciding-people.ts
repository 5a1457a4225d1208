import type { Kysely } from 'kysely'

/** Who approved the work of a buyer, as the audit log names them; null: nobody has, or it was before this column. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('approvals').addColumn('decided_by', 'text').execute()
}

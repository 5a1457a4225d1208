import type { Kysely } from 'kysely'

/** The task by which a buyer follows a change of a grant that needs the rights holder; null: none is open, or it was asked before this column. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('rights_grants').addColumn('pending_task_id', 'text').execute()
}

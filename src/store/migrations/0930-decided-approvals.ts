import type { Kysely } from 'kysely'

/** What was decided, newest first. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('approvals_decided').on('approvals').columns(['tenant_id', 'decided_at', 'task_id']).execute()
}

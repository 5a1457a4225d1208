import type { Kysely } from 'kysely'

/** When the seller of an action is to report its delivery. Actions from before are expected by nobody. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('governance_actions').addColumn('next_check_at', 'text').execute()
}

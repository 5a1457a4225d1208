import type { Kysely } from 'kysely'

/** The actions of a plan are read in the order of their age, page by page. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('governance_actions_by_age')
    .on('governance_actions')
    .columns(['tenant_id', 'principal_id', 'plan_id', 'created_at', 'action_id'])
    .execute()
}

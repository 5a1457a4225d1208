import type { Kysely } from 'kysely'

/** Orders that a person at the ad server approves: the task that the buyer waits for, and what was decided. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('ad_server_orders').addColumn('task_id', 'text').execute()
  await db.schema.alterTable('ad_server_orders').addColumn('review', 'text').execute()
}

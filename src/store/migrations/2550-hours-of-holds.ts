import type { Kysely } from 'kysely'

/** The hours of a week that a hold is spread over; null: all of them, as all holds from before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('inventory_holds').addColumn('open_week', 'text').execute()
}

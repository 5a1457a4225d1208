import type { Kysely } from 'kysely'

/** Sums of delivery that are made again in steps: until when somebody is about it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('delivery_zones').addColumn('rebuild', 'text').execute()
  await db.schema.alterTable('delivery_zones').addColumn('rebuild_until', 'text').execute()
}

import type { Kysely } from 'kysely'

/** Since when an ad server refuses an order, and why in its words. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('ad_server_orders').addColumn('refused_since', 'text').execute()
  await db.schema.alterTable('ad_server_orders').addColumn('refusal', 'text').execute()
}

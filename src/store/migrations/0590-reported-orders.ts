import type { Kysely } from 'kysely'

/** When a delivery report of an order was taken last: the next one goes back to it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('ad_server_orders').addColumn('reported_at', 'text').execute()
}

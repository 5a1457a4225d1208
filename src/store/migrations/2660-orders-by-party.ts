import type { Kysely } from 'kysely'

/** Orders are found by who pays for them, whenever terms are saved. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('orders_by_party').ifNotExists().on('orders').columns(['tenant_id', 'party']).execute()
}

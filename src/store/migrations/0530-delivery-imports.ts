import type { Kysely } from 'kysely'

/** How often delivery of an order was added to the ledger: an import that began before another one ended finds out by it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('ad_server_orders')
    .addColumn('imports', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
}

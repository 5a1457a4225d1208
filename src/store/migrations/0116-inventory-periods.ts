import type { Kysely } from 'kysely'

/**
 * Inventory is held by day, month, year or century. What is held by day so far stays: a long flight from before that ends early gives
 * back by period what it holds by day, which comes to the same on each day.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('inventory_days').renameTo('inventory_periods').execute()
  await db.schema.alterTable('inventory_periods').renameColumn('day', 'period').execute()
}

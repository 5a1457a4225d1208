import type { Kysely } from 'kysely'

/** A credit note says which invoice it credits. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('invoices').addColumn('refers_to', 'text').execute()
}

import type { Kysely } from 'kysely'

/** Billing parties that an agent may name, as a JSON array; null: all that its publisher accepts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('principals').addColumn('billing', 'text').execute()
}

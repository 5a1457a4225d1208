import type { Kysely } from 'kysely'

/** What a publisher agreed with an agent about its creatives, as JSON; null: what the publisher set for all. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('principals').addColumn('creative_rules', 'text').execute()
}

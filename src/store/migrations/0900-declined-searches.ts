import type { Kysely } from 'kysely'

/** A directive may have a search declined: why, and what to ask for instead (JSON). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('sandbox_directives').addColumn('rejection', 'text').execute()
}

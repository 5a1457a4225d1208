import type { Kysely } from 'kysely'

/** Which key took the place of one that was rotated: it is not rotated again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('api_keys').addColumn('successor', 'text').execute()
}

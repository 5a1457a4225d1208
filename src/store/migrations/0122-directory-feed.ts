import type { Kysely } from 'kysely'

/** What a file said last, so that the feed tells a change of it from a mere fetch. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('directory_documents').addColumn('digest', 'text').execute()
}

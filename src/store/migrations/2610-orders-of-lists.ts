import type { Kysely } from 'kysely'

/** Which order names a list, so that the lists of one buyer can be counted. Null until the list is read again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('embedded_lists').addColumn('media_buy_id', 'text').execute()
}

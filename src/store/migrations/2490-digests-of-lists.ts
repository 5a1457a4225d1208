import type { Kysely } from 'kysely'

/** What a list that lines are targeted to holds, told without reading it: lists of one content are held once. Both are null until the list is read again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('embedded_lists').addColumn('digest', 'text').execute()
  await db.schema.alterTable('embedded_lists').addColumn('entries', 'integer').execute()
}

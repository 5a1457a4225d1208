import { type Kysely, sql } from 'kysely'

/** Which files name their agents in the short form. Files that were read before are read again in full. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('directory_documents')
    .addColumn('short_form', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await sql`update directory_documents set etag = null, last_modified = null where content = 'inline'`.execute(db)
}

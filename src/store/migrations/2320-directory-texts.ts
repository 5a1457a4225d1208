import { type Kysely, sql } from 'kysely'

/** Texts of the directory's files in parts: one of twenty megabytes kept everyone else waiting while it was written or read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('directory_texts')
    .addColumn('document_id', 'text', (column) => column.notNull())
    .addColumn('part', 'integer', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('directory_texts_key', ['document_id', 'part'])
    .execute()
  await sql`insert into directory_texts (document_id, part, body) select document_id, 0, body from directory_bodies`.execute(db)
  await db.schema.dropTable('directory_bodies').execute()
}

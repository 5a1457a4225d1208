import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/** What other directories say of who authorises whom: never part of this directory's own index. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const bytes: RawBuilder<unknown> = db.getExecutor().adapter instanceof PostgresAdapter ? sql`text collate "C"` : sql`text`
  await db.schema
    .createTable('directory_mirrors')
    .addColumn('source', 'text', (c) => c.primaryKey())
    .addColumn('generation', 'text')
    .addColumn('pending', 'text')
    .addColumn('imported_at', 'text')
    .addColumn('sync_cursor', 'text')
    .addColumn('row_count', 'integer', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('directory_mirror_rows')
    .addColumn('agent_url', bytes, (c) => c.notNull())
    .addColumn('publisher_domain', bytes, (c) => c.notNull())
    .addColumn('generation', 'text', (c) => c.notNull())
    .addColumn('claim', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('directory_mirror_rows_pk', ['agent_url', 'publisher_domain', 'generation'])
    .execute()
  await db.schema.createIndex('directory_mirror_rows_generation').on('directory_mirror_rows').columns(['generation']).execute()
}

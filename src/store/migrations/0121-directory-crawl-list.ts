import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/** The crawl list: which names wait behind others, since when one gives nothing, and which are no longer on it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const bytes: RawBuilder<unknown> = db.getExecutor().adapter instanceof PostgresAdapter ? sql`text collate "C"` : sql`text`
  const publishers = () => db.schema.alterTable('directory_publishers')
  await publishers()
    .addColumn('priority', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await publishers().addColumn('named_by', 'text').execute()
  await publishers().addColumn('barren_since', 'text').execute()
  await db.schema.dropIndex('directory_publishers_due').execute()
  await db.schema
    .createIndex('directory_publishers_due')
    .on('directory_publishers')
    .columns(['priority', 'next_attempt_at'])
    .execute()
  await db.schema
    .createIndex('directory_publishers_named')
    .on('directory_publishers')
    .columns(['named_by', 'priority', 'serves'])
    .execute()
  await db.schema
    .createTable('directory_exclusions')
    .addColumn('publisher_domain', bytes, (c) => c.primaryKey())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('excluded_at', 'text', (c) => c.notNull())
    .execute()
  await db.schema.alterTable('directory_documents').addColumn('content', 'text').execute()
  await sql`update directory_documents set content = 'inline' where verified_at is not null and url not like '%/ads.txt'`.execute(
    db,
  )
}

import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/** Identifiers of properties, as files declare them: which agents may sell an app is looked up by its bundle id. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const bytes: RawBuilder<unknown> = db.getExecutor().adapter instanceof PostgresAdapter ? sql`text collate "C"` : sql`text`
  await db.schema
    .createTable('directory_identifiers')
    .addColumn('identifier_type', 'text', (c) => c.notNull())
    .addColumn('identifier_value', bytes, (c) => c.notNull())
    .addColumn('document_id', 'text', (c) => c.notNull())
    .addColumn('publisher_domain', bytes, (c) => c.notNull())
    .addColumn('property_id', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('directory_identifiers_pk', [
      'identifier_type',
      'identifier_value',
      'document_id',
      'publisher_domain',
      'property_id',
    ])
    .execute()
  await db.schema.createIndex('directory_identifiers_document').on('directory_identifiers').columns(['document_id']).execute()
  await db.schema.createIndex('registry_crawl_requests_id').on('registry_crawl_requests').columns(['crawl_request_id']).execute()
  // Files that were read before are read again in full, because their identifiers are not known yet.
  await sql`update directory_documents set etag = null, last_modified = null,
    digest = case when digest is null then null else '' end where content = 'inline'`.execute(db)
}

import type { Kysely } from 'kysely'

/** The properties that a file declares for a publisher are read part by part, in the order of this index: a file may declare 200,000. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('directory_identifiers_of_document')
    .on('directory_identifiers')
    .columns(['document_id', 'publisher_domain', 'property_id'])
    .execute()
  await db.schema.dropIndex('directory_identifiers_document').execute()
}

import type { Kysely } from 'kysely'

/** The claims of a file are read and changed part by part, in the order of this index: a network's file has a hundred thousand. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('directory_claims_of_document')
    .on('directory_claims')
    .columns(['document_id', 'agent_id', 'publisher_domain', 'route'])
    .execute()
  await db.schema.dropIndex('directory_claims_document').execute()
}

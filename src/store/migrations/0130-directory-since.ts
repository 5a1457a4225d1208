import type { Kysely } from 'kysely'

/** Since when a publisher has authorised an agent; null for rows of before, whose beginning was not recorded. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('directory_claims').addColumn('granted_at', 'text').execute()
  // The history of one publisher or agent is a range of this index.
  await db.schema.createIndex('registry_events_entity').on('registry_events').columns(['entity_id', 'sequence']).execute()
}

import type { Kysely } from 'kysely'

/** Creatives of all publishers that wait in review are found without reading the others. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('creatives_in_review').on('creatives').columns(['status', 'updated_at']).execute()
}

import type { Kysely } from 'kysely'

/** What a publisher's brand agent confirms of its house, and whose answers a key signs: keys of answers are for one brand each. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('brand_revisions').addColumn('claims', 'text').execute()
  await db.schema
    .alterTable('signing_keys')
    .addColumn('subject', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
}

import type { Kysely } from 'kysely'

/** What an ad server's type remembers of an order or a line, beside its id: notes at the ad server are for people. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('ad_server_ids').addColumn('memo', 'text').execute()
  await db.schema
    .createIndex('ad_server_ids_theirs')
    .on('ad_server_ids')
    .columns(['tenant_id', 'ad_server', 'kind', 'their_id'])
    .execute()
}

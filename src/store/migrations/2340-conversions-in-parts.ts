import type { Kysely } from 'kysely'

/** The conversions of a media buy are summed part by part, in the order of this index: a buyer may report any number of events. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('conversions_of_media_buy')
    .on('conversions')
    .columns(['tenant_id', 'media_buy_id', 'package_id', 'event_type', 'event_key'])
    .execute()
  await db.schema.dropIndex('conversions_by_media_buy').execute()
}

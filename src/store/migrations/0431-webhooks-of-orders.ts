import { type Kysely, sql } from 'kysely'

/** The page of an order shows the webhooks that were sent for it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('webhook_endpoints_media_buy')
    .on('webhook_endpoints')
    .columns(['tenant_id', 'media_buy_id'])
    .where(sql.ref('media_buy_id'), 'is not', null)
    .execute()
  await db.schema.createIndex('webhook_outbox_of_endpoint').on('webhook_outbox').columns(['endpoint_id', 'created_at']).execute()
}

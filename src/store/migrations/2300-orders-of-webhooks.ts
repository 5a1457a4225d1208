import type { Kysely } from 'kysely'

/** Indexes that have the order of lists of webhooks whole: those of one moment, such as 50,000 of one act, were sorted for each page. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const replace = async (name: string, columns: string[]) => {
    await db.schema.dropIndex(name).execute()
    await db.schema
      .createIndex(name)
      .on('webhook_outbox')
      .columns([...columns, 'created_at', 'delivery_id'])
      .execute()
  }
  await replace('webhook_outbox_listed', ['tenant_id'])
  await replace('webhook_outbox_in_state', ['tenant_id', 'state'])
  await replace('webhook_outbox_of_endpoint', ['endpoint_id'])
}

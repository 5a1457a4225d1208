import { type Kysely, sql } from 'kysely'

/**
 * Webhooks that wait behind another are not looked at: 60,000 of a receiver that was down took 80 ms at each look for what is due. Indexes of the pending ones
 * alone, and of the others by when they were settled.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('webhook_outbox')
    .addColumn('held', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema.dropIndex('webhook_outbox_due').execute()
  await db.schema.dropIndex('webhook_outbox_by_endpoint').execute()
  const index = (name: string, columns: string[]) => db.schema.createIndex(name).on('webhook_outbox').columns(columns)
  const isPending = [sql.ref('state'), '=', sql.lit('pending')] as const
  await index('webhook_outbox_lane', ['ordering_key', 'position'])
    .where(...isPending)
    .execute()
  await sql`update webhook_outbox set held = 1 where state = 'pending' and exists (select 1 from webhook_outbox earlier
    where earlier.ordering_key = webhook_outbox.ordering_key and earlier.position < webhook_outbox.position and earlier.state = 'pending')`.execute(
    db,
  )
  await index('webhook_outbox_heads', ['endpoint_key', 'next_attempt_at'])
    .where(...isPending)
    .where(sql.ref('held'), '=', sql.lit(0))
    .execute()
  await index('webhook_outbox_waiting', ['tenant_id', 'principal_id', 'created_at'])
    .where(...isPending)
    .execute()
  await index('webhook_outbox_stale', ['endpoint_key', 'created_at'])
    .where(...isPending)
    .execute()
  await index('webhook_outbox_settled', ['state', 'settled_at']).where(sql.ref('settled_at'), 'is not', null).execute()
}

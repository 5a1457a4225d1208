import { type Kysely, sql } from 'kysely'

/** Lists of the publisher that show one state of many rows: without these indexes each page of the console reads all of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const index = (name: string, table: string, columns: string[]) => db.schema.createIndex(name).on(table).columns(columns)
  await index('creatives_in_status', 'creatives', ['tenant_id', 'status', 'updated_at', 'creative_id']).execute()
  await index('webhook_outbox_in_state', 'webhook_outbox', ['tenant_id', 'state', 'created_at']).execute()
  await index('audit_log_task', 'audit_log', ['tenant_id', 'task', 'seq']).execute()
  await index('audit_log_outcome', 'audit_log', ['tenant_id', 'outcome', 'seq']).execute()
  await index('rights_grants_listed', 'rights_grants', ['tenant_id', 'created_at', 'grant_id']).execute()
  // Most orders end by themselves, most accounts are decided, most grants are as they were agreed: small indexes of the others.
  await index('media_buys_decided', 'media_buys', ['tenant_id', 'decision', 'created_at', 'media_buy_id'])
    .where(sql.ref('decision'), 'is not', null)
    .execute()
  await index('accounts_pending', 'accounts', ['tenant_id', 'account_id'])
    .where(sql.ref('status'), '=', sql.lit('pending_approval'))
    .execute()
  await index('rights_grants_pending', 'rights_grants', ['tenant_id', 'created_at'])
    .where(sql.ref('pending'), 'is not', null)
    .execute()
}

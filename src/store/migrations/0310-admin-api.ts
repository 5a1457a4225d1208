import { type Kysely, sql } from 'kysely'

/** Keys of the admin API that may act on the whole deployment, and subscribers that get the changes of one publisher. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('admin_keys')
    .addColumn('deployment', 'integer', (c) => c.notNull().defaultTo(sql`0`))
    .execute()
  await db.schema
    .alterTable('feed_subscribers')
    .addColumn('tenant_id', 'text', (c) => c.references('tenants.tenant_id'))
    .execute()
}

import type { Kysely } from 'kysely'

/** Keys of the admin API: a table of their own, so that no key of one API can mean anything to another. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('admin_keys')
    .addColumn('key_hash', 'text', (c) => c.primaryKey())
    .addColumn('key_id', 'text', (c) => c.notNull().unique())
    .addColumn('tenant_id', 'text', (c) => c.notNull().references('tenants.tenant_id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'text')
    .addColumn('revoked_at', 'text')
    .execute()
  await db.schema.createIndex('admin_keys_by_tenant').on('admin_keys').columns(['tenant_id', 'created_at']).execute()
}

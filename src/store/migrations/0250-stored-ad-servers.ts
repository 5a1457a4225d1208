import type { Kysely } from 'kysely'

/** Ad servers that publishers set up at run time, encrypted credentials of any ad server, and ids of ad servers that do not store ours. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('tenant_ad_servers')
    .addColumn('tenant_id', 'text', (c) => c.notNull().references('tenants.tenant_id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('options', 'text', (c) => c.notNull())
    .addColumn('drift', 'text', (c) => c.notNull())
    .addColumn('products', 'text')
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('tenant_ad_servers_pk', ['tenant_id', 'name'])
    .execute()
  await db.schema
    .createTable('ad_server_credentials')
    .addColumn('tenant_id', 'text', (c) => c.notNull().references('tenants.tenant_id'))
    .addColumn('ad_server', 'text', (c) => c.notNull())
    .addColumn('sealed', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('ad_server_credentials_pk', ['tenant_id', 'ad_server'])
    .execute()
  await db.schema
    .createTable('ad_server_ids')
    .addColumn('tenant_id', 'text', (c) => c.notNull().references('tenants.tenant_id'))
    .addColumn('ad_server', 'text', (c) => c.notNull())
    .addColumn('order_id', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('external_id', 'text', (c) => c.notNull())
    .addColumn('their_id', 'text', (c) => c.notNull())
    .addColumn('version', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('ad_server_ids_pk', ['tenant_id', 'ad_server', 'order_id', 'kind', 'external_id'])
    .execute()
}

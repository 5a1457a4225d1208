import type { Kysely } from 'kysely'

export async function createCatalogTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('catalogs')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('catalog_id', 'text', (c) => c.notNull())
    .addColumn('platform_id', 'text', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('items_digest', 'text', (c) => c.notNull())
    .addColumn('item_count', 'integer', (c) => c.notNull())
    .addColumn('pending_count', 'integer', (c) => c.notNull())
    .addColumn('rejected_count', 'integer', (c) => c.notNull())
    .addColumn('feed', 'text')
    .addColumn('next_fetch_at', 'text')
    .addColumn('last_synced_at', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('catalogs_pk', ['tenant_id', 'principal_id', 'account_id', 'catalog_id'])
    .addUniqueConstraint('catalogs_platform_id', ['tenant_id', 'platform_id'])
    .addForeignKeyConstraint('catalogs_principal', ['tenant_id', 'principal_id'], 'principals', ['tenant_id', 'principal_id'])
    .execute()
  await db.schema.createIndex('catalogs_by_next_fetch').on('catalogs').columns(['next_fetch_at']).execute()
  await db.schema
    .createTable('catalog_items')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('platform_id', 'text', (c) => c.notNull())
    .addColumn('item_id', 'text', (c) => c.notNull())
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('content_id', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('reasons', 'text', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('catalog_items_pk', ['tenant_id', 'platform_id', 'item_id'])
    .addForeignKeyConstraint(
      'catalog_items_catalog',
      ['tenant_id', 'platform_id'],
      'catalogs',
      ['tenant_id', 'platform_id'],
      (c) => c.onDelete('cascade'),
    )
    .execute()
  await db.schema
    .createIndex('catalog_items_by_content')
    .on('catalog_items')
    .columns(['tenant_id', 'platform_id', 'content_id'])
    .execute()
}

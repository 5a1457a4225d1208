import type { Kysely } from 'kysely'

export async function createProductTables(db: Kysely<unknown>): Promise<void> {
  await createProducts(db)
  await createCustomFormats(db)
}

async function createProducts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('catalogues')
    .addColumn('tenant_id', 'text', (c) => c.primaryKey().references('tenants.tenant_id'))
    .addColumn('publisher', 'text')
    .addColumn('properties', 'text', (c) => c.notNull())
    .addColumn('plans', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addColumn('collections', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute()
  // `owner` is '' for the tenant's catalogue, else the sandbox principal that a product was seeded for.
  await db.schema
    .createTable('products')
    .addColumn('tenant_id', 'text', (c) => c.notNull().references('tenants.tenant_id'))
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('product_id', 'text', (c) => c.notNull())
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('removed_at', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addColumn('revision', 'integer', (c) => c.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('products_pk', ['tenant_id', 'owner', 'product_id'])
    .execute()
  await db.schema
    .createTable('seeded_formats')
    .addColumn('tenant_id', 'text', (c) => c.notNull().references('tenants.tenant_id'))
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('format_id', 'text', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('seeded_formats_pk', ['tenant_id', 'owner', 'format_id'])
    .execute()
  await db.schema
    .createTable('proposals')
    .addColumn('tenant_id', 'text', (c) => c.notNull().references('tenants.tenant_id'))
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('proposal_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text')
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'text', (c) => c.notNull())
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('proposals_pk', ['tenant_id', 'principal_id', 'proposal_id'])
    .execute()
  await db.schema.createIndex('proposals_by_expiry').on('proposals').columns(['tenant_id', 'expires_at']).execute()
  // What changed since a revision is found without reading the rest.
  await db.schema.createIndex('products_by_revision').on('products').columns(['tenant_id', 'owner', 'revision']).execute()
}

async function createCustomFormats(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('custom_formats')
    .addColumn('tenant_id', 'text', (c) => c.notNull().references('tenants.tenant_id'))
    .addColumn('format_id', 'text', (c) => c.notNull())
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('custom_formats_pk', ['tenant_id', 'format_id'])
    .execute()
}

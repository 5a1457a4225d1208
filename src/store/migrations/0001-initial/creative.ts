import type { Kysely } from 'kysely'

export async function createCreativeTables(db: Kysely<unknown>): Promise<void> {
  await createLibrary(db)
  // An assignment names a creative by the buyer's id, which may be uploaded later.
  await db.schema
    .createTable('creative_assignments')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('package_id', 'text', (c) => c.notNull())
    .addColumn('creative_id', 'text', (c) => c.notNull())
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('weight', 'double precision')
    .addColumn('placement_ids', 'text')
    .addColumn('assigned_at', 'text', (c) => c.notNull())
    .addColumn('served', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('creative_assignments_pk', ['tenant_id', 'package_id', 'creative_id'])
    .execute()
  await db.schema
    .createIndex('creative_assignments_by_creative')
    .on('creative_assignments')
    .columns(['tenant_id', 'principal_id', 'creative_id', 'package_id'])
    .execute()
  await db.schema
    .createTable('previews')
    .addColumn('preview_id', 'text', (c) => c.primaryKey())
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('html', 'text', (c) => c.notNull())
    .addColumn('scripts', 'integer', (c) => c.notNull())
    .addColumn('expires_at', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('previews_by_expiry').on('previews').columns(['expires_at']).execute()
}

async function createLibrary(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('creatives')
    .addColumn('tenant_id', 'text', (c) => c.notNull().references('tenants.tenant_id'))
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('creative_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('name_folded', 'text', (c) => c.notNull())
    .addColumn('format_agent', 'text', (c) => c.notNull())
    .addColumn('format_id', 'text', (c) => c.notNull())
    .addColumn('format_width', 'integer')
    .addColumn('format_height', 'integer')
    .addColumn('format_duration', 'double precision')
    .addColumn('concept_id', 'text')
    .addColumn('has_variables', 'integer', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('status_reason', 'text')
    .addColumn('approved_at', 'text')
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('creatives_pk', ['tenant_id', 'principal_id', 'account_id', 'creative_id'])
    .execute()
  for (const column of ['created_at', 'updated_at', 'name']) {
    await db.schema
      .createIndex(`creatives_by_${column}`)
      .on('creatives')
      .columns(['tenant_id', 'principal_id', column, 'creative_id'])
      .execute()
  }
  await db.schema
    .createIndex('creatives_by_id')
    .on('creatives')
    .columns(['tenant_id', 'principal_id', 'creative_id', 'account_id'])
    .execute()
  await db.schema
    .createTable('creative_tags')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('creative_id', 'text', (c) => c.notNull())
    .addColumn('tag', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('creative_tags_pk', ['tenant_id', 'principal_id', 'account_id', 'creative_id', 'tag'])
    .execute()
}

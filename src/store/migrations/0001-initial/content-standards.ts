import type { Kysely } from 'kysely'

export async function createContentStandardsTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('content_standards')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('standards_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('content_standards_pk', ['tenant_id', 'standards_id'])
    .addForeignKeyConstraint('content_standards_principal', ['tenant_id', 'principal_id'], 'principals', [
      'tenant_id',
      'principal_id',
    ])
    .execute()
  await db.schema
    .createIndex('content_standards_by_principal')
    .on('content_standards')
    .columns(['tenant_id', 'principal_id', 'created_at', 'standards_id'])
    .execute()
  // Earlier versions stay: a verdict is about the version that was in force when it was given.
  await db.schema
    .createTable('content_standards_versions')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('standards_id', 'text', (c) => c.notNull())
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('content_standards_versions_pk', ['tenant_id', 'standards_id', 'version'])
    .addForeignKeyConstraint('content_standards_version_of', ['tenant_id', 'standards_id'], 'content_standards', [
      'tenant_id',
      'standards_id',
    ])
    .execute()
  await db.schema
    .createTable('content_standards_scopes')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('standards_id', 'text', (c) => c.notNull())
    .addColumn('dimension', 'text', (c) => c.notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('content_standards_scopes_pk', ['tenant_id', 'standards_id', 'dimension', 'value'])
    .addForeignKeyConstraint('content_standards_scope_of', ['tenant_id', 'standards_id'], 'content_standards', [
      'tenant_id',
      'standards_id',
    ])
    .execute()
}

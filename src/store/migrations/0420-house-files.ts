import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/** Files of creatives that the embedded ad server hosts: their content in parts, the files of HTML5 bundles, and which creatives use them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const bytes: RawBuilder<unknown> = db.getExecutor().adapter instanceof PostgresAdapter ? sql`text collate "C"` : sql`text`
  await db.schema
    .createTable('house_files')
    .addColumn('tenant_id', bytes, (c) => c.notNull())
    .addColumn('file_id', bytes, (c) => c.notNull())
    .addColumn('mime_type', 'text', (c) => c.notNull())
    .addColumn('size', 'integer', (c) => c.notNull())
    .addColumn('complete', 'integer', (c) => c.notNull())
    .addColumn('written_at', bytes, (c) => c.notNull())
    .addPrimaryKeyConstraint('house_files_pk', ['tenant_id', 'file_id'])
    .execute()
  await db.schema.createIndex('house_files_age').on('house_files').column('written_at').execute()
  await db.schema
    .createTable('house_file_parts')
    .addColumn('tenant_id', bytes, (c) => c.notNull())
    .addColumn('file_id', bytes, (c) => c.notNull())
    .addColumn('part', 'integer', (c) => c.notNull())
    .addColumn('content', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('house_file_parts_pk', ['tenant_id', 'file_id', 'part'])
    .execute()
  await db.schema
    .createTable('house_bundle_files')
    .addColumn('tenant_id', bytes, (c) => c.notNull())
    .addColumn('bundle_id', bytes, (c) => c.notNull())
    .addColumn('path', bytes, (c) => c.notNull())
    .addColumn('file_id', bytes, (c) => c.notNull())
    .addPrimaryKeyConstraint('house_bundle_files_pk', ['tenant_id', 'bundle_id', 'path'])
    .execute()
  await db.schema.createIndex('house_bundle_files_file').on('house_bundle_files').columns(['tenant_id', 'file_id']).execute()
  await db.schema
    .createTable('house_file_uses')
    .addColumn('tenant_id', bytes, (c) => c.notNull())
    .addColumn('used_by', bytes, (c) => c.notNull())
    .addColumn('file_id', bytes, (c) => c.notNull())
    .addPrimaryKeyConstraint('house_file_uses_pk', ['tenant_id', 'used_by', 'file_id'])
    .execute()
  await db.schema.createIndex('house_file_uses_file').on('house_file_uses').columns(['tenant_id', 'file_id']).execute()
}

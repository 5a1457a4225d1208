import type { Kysely } from 'kysely'

/** Files of reports, as buyers fetch them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('reporting_files')
    .addColumn('resource_ref', 'text', (c) => c.notNull())
    .addColumn('object_ref', 'text', (c) => c.notNull())
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('media_type', 'text', (c) => c.notNull())
    .addColumn('content', 'text', (c) => c.notNull())
    .addColumn('written_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('reporting_files_pk', ['resource_ref', 'object_ref'])
    .execute()
  await db.schema.createIndex('reporting_files_age').on('reporting_files').column('written_at').execute()
}

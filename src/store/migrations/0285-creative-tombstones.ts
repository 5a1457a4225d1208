import type { Kysely } from 'kysely'

/** What is left of creatives that the publisher destroyed: the columns of a creative without its assets, and when and why it went. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('creative_tombstones')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('creative_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('name_folded', 'text', (c) => c.notNull())
    .addColumn('format_agent', 'text', (c) => c.notNull())
    .addColumn('format_id', 'text', (c) => c.notNull())
    .addColumn('format_width', 'integer')
    .addColumn('format_height', 'integer')
    .addColumn('format_duration', 'integer')
    .addColumn('concept_id', 'text')
    .addColumn('has_variables', 'integer', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('status_reason', 'text')
    .addColumn('approved_at', 'text')
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addColumn('purged_at', 'text', (c) => c.notNull())
    .addColumn('purge_reason', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('creative_tombstones_pk', ['tenant_id', 'principal_id', 'account_id', 'creative_id'])
    .execute()
  await db.schema.createIndex('creative_tombstones_by_time').on('creative_tombstones').column('purged_at').execute()
}

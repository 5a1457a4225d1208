import type { Kysely } from 'kysely'

/** Changes of buyers that are confirmed when their ad server was seen to have them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('ad_server_changes')
    .addColumn('tenant_id', 'text', (column) => column.notNull())
    .addColumn('task_id', 'text', (column) => column.notNull())
    .addColumn('ad_server', 'text', (column) => column.notNull())
    .addColumn('media_buy_id', 'text', (column) => column.notNull())
    .addColumn('principal_id', 'text', (column) => column.notNull())
    .addColumn('requested', 'integer', (column) => column.notNull())
    .addColumn('answer', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('ad_server_changes_pk', ['tenant_id', 'task_id', 'ad_server'])
    .execute()
  await db.schema
    .createIndex('ad_server_changes_order')
    .on('ad_server_changes')
    .columns(['tenant_id', 'media_buy_id', 'ad_server'])
    .execute()
}

import type { Kysely } from 'kysely'

/** What colleagues write about an order; its buyer never sees it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('order_notes')
    .addColumn('tenant_id', 'text', (column) => column.notNull())
    .addColumn('media_buy_id', 'text', (column) => column.notNull())
    .addColumn('note_id', 'text', (column) => column.notNull())
    .addColumn('author', 'text', (column) => column.notNull())
    .addColumn('note', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('order_notes_pk', ['tenant_id', 'media_buy_id', 'note_id'])
    .execute()
}

import type { Kysely } from 'kysely'

/** Questions of the publisher's people about delivery, under names. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('saved_reports')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('saved_by', 'text', (c) => c.notNull())
    .addColumn('saved_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('saved_reports_pk', ['tenant_id', 'name'])
    .execute()
}

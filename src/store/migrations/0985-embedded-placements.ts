import type { Kysely } from 'kysely'

/** Places of the publisher's pages, as people set them up for the embedded ad server. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('embedded_placements')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('placement_id', 'text', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('embedded_placements_pk', ['tenant_id', 'placement_id'])
    .execute()
}

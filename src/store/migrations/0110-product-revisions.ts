import type { Kysely } from 'kysely'

/** What changed in a catalogue since a revision is found without reading the rest. Rows from before count as revision 0. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('products')
    .addColumn('revision', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema.createIndex('products_by_revision').on('products').columns(['tenant_id', 'owner', 'revision']).execute()
}

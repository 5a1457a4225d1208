import type { Kysely } from 'kysely'

export async function createBrandTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('brand_catalogues')
    .addColumn('tenant_id', 'text', (c) => c.primaryKey())
    .addColumn('house', 'text', (c) => c.notNull())
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .execute()
  for (const [table, id] of [
    ['brands', 'brand_id'],
    ['rights_offerings', 'rights_id'],
    ['conversation_offerings', 'offering_id'],
  ] as const) {
    await db.schema
      .createTable(table)
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn(id, 'text', (c) => c.notNull())
      .addColumn('position', 'integer', (c) => c.notNull())
      .addColumn('document', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint(`${table}_pk`, ['tenant_id', id])
      .execute()
  }
}

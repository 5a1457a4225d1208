import type { Kysely } from 'kysely'

/** How often the books of a publisher changed: what was decided from an earlier state of them is not written. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('billing_books')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('revision', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('billing_books_pk', ['tenant_id'])
    .execute()
}

import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/** Property and collection lists that lines of the embedded ad server are targeted to, as they were read last. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const bytes: RawBuilder<unknown> = db.getExecutor().adapter instanceof PostgresAdapter ? sql`text collate "C"` : sql`text`
  await db.schema
    .createTable('house_lists')
    .addColumn('tenant_id', bytes, (c) => c.notNull())
    .addColumn('list_key', bytes, (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('reference', 'text', (c) => c.notNull())
    .addColumn('members', 'text')
    .addColumn('failure', 'text')
    .addColumn('due_at', bytes, (c) => c.notNull())
    .addColumn('needed_until', bytes, (c) => c.notNull())
    .addPrimaryKeyConstraint('house_lists_pk', ['tenant_id', 'list_key'])
    .execute()
  await db.schema.createIndex('house_lists_due').on('house_lists').column('due_at').execute()
}

import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('principals')
    .addColumn('text_form', 'text', (c) => c.notNull().defaultTo('summary'))
    .execute()
}

import type { Kysely } from 'kysely'

/** Lines are read by id, order and end; nothing asks for them by anchor, and each write of a line paid for the index. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('house_lines_anchor').execute()
}

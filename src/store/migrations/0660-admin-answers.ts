import { type Kysely, sql } from 'kysely'

/** Answers of the admin API were stored in plain text, some with a new key or password: they are forgotten. A repeated request is told that it was carried out. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`update admin_requests set answer = null, state = 'changed' where answer is not null`.execute(db)
}

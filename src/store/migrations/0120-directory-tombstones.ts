import { type Kysely, sql } from 'kysely'

/** A tombstone lives by time, not by the number of fetches of its file: a shared file is fetched several times in one refresh interval. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('directory_claims').addColumn('observed_at', 'text').execute()
  await sql`update directory_claims set observed_at = verified_at where status = 'revoked'`.execute(db)
  await db.schema.alterTable('directory_claims').dropColumn('observed_refresh').execute()
}

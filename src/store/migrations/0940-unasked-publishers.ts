import { type Kysely, sql } from 'kysely'

/**
 * Publishers that only managers' files speak for, and whose own address has not answered, are due at once: with the next visit they are shown only where they
 * have no file of their own.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`update directory_publishers set next_attempt_at = ${new Date(0).toISOString()}
    where serves = 'unknown' and publisher_domain in (select publisher_domain from directory_claims where route = 'fanout' and shown <> '')`.execute(
    db,
  )
}

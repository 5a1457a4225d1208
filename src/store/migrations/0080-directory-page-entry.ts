import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/**
 * Each claim carries its entry of a page as text, without the closing brace, and the index of the pages holds it: a page
 * is one range of that index and nothing else. Reading 200 rows from the table instead costs eight times as much when
 * the table has a million of them, since neighbours by domain lie far apart in it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // PostgreSQL stores a generated column, SQLite can only add one that it computes; its index holds the text all the same.
  const kind: RawBuilder<unknown> = db.getExecutor().adapter instanceof PostgresAdapter ? sql`stored` : sql`virtual`
  // Every value is safe inside JSON: domains match the domain pattern, the rest are our own words, numbers and times.
  await sql`alter table directory_claims add column entry text generated always as (
    '{"publisher_domain":"' || publisher_domain || '","discovery_method":"' || discovery_method
    || '","manager_domain":' || coalesce('"' || manager_domain || '"', 'null')
    || ',"properties_authorized":' || cast(properties_authorized as text)
    || ',"properties_total":' || cast(properties_total as text)
    || case signing_keys_pinned when 1 then ',"signing_keys_pinned":true' else ',"signing_keys_pinned":false' end
    || ',"status":"' || status || '","last_verified_at":"' || verified_at || '"') ${kind}`.execute(db)
  await db.schema.dropIndex('directory_claims_page').execute()
  await db.schema
    .createIndex('directory_claims_page')
    .on('directory_claims')
    .columns(['agent_id', 'shown', 'publisher_domain', 'verified_at', 'entry'])
    .execute()
}

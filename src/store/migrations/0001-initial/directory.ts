import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/**
 * Each claim carries its entry of a page as text, without the closing brace, and the index of the pages holds it: a page is one range of that
 * index and nothing else. Reading 200 rows from the table instead costs eight times as much when the table has a million of them, since neighbours
 * by domain lie far apart in it. Every value is safe inside JSON: domains match the domain pattern, the rest are our own words, numbers and times.
 */
const ENTRY = sql`'{"publisher_domain":"' || publisher_domain || '","discovery_method":"' || discovery_method
    || '","manager_domain":' || coalesce('"' || manager_domain || '"', 'null')
    || ',"properties_authorized":' || cast(properties_authorized as text)
    || ',"properties_total":' || cast(properties_total as text)
    || case signing_keys_pinned when 1 then ',"signing_keys_pinned":true' else ',"signing_keys_pinned":false' end
    || ',"status":"' || status || '","last_verified_at":"' || verified_at || '"'`

/** PostgreSQL stores a generated column; on SQLite it is computed, and its index holds the text all the same. */
function isPostgres(db: Kysely<unknown>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

export async function createDirectoryTables(db: Kysely<unknown>): Promise<void> {
  // Pages go by domain in byte order; PostgreSQL's default collation would order dots and hyphens by locale.
  const domain: RawBuilder<unknown> = db.getExecutor().adapter instanceof PostgresAdapter ? sql`text collate "C"` : sql`text`
  await createIndexTables(db, domain)
  await createSourceTables(db, domain)
}

/** What lookups read. */
async function createIndexTables(db: Kysely<unknown>, domain: RawBuilder<unknown>): Promise<void> {
  await db.schema
    .createTable('directory_agents')
    .addColumn('agent_id', 'text', (c) => c.primaryKey())
    .addColumn('agent_url', 'text', (c) => c.notNull())
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('changed_at', 'text', (c) => c.notNull())
    .execute()

  await db.schema
    .createTable('directory_claims')
    .addColumn('agent_id', 'text', (c) => c.notNull())
    .addColumn('publisher_domain', domain, (c) => c.notNull())
    .addColumn('route', 'text', (c) => c.notNull())
    .addColumn('document_id', 'text', (c) => c.notNull())
    .addColumn('shown', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('observed_refresh', 'integer', (c) => c.notNull())
    .addColumn('discovery_method', 'text', (c) => c.notNull())
    .addColumn('manager_domain', 'text')
    .addColumn('properties_authorized', 'integer', (c) => c.notNull())
    .addColumn('properties_total', 'integer', (c) => c.notNull())
    .addColumn('signing_keys_pinned', 'integer', (c) => c.notNull())
    .addColumn('verified_at', 'text', (c) => c.notNull())
    .addColumn('property_ids', 'text', (c) => c.notNull())
    .addColumn('entry', 'text', (c) => {
      const column = c.generatedAlwaysAs(ENTRY)
      return isPostgres(db) ? column.stored() : column
    })
    .addPrimaryKeyConstraint('directory_claims_pk', ['publisher_domain', 'agent_id', 'route', 'document_id'])
    .execute()
  // A page is one range of this index whatever its status filter: `shown` is the status of the row on show, or empty.
  await db.schema
    .createIndex('directory_claims_page')
    .on('directory_claims')
    .columns(['agent_id', 'shown', 'publisher_domain', 'verified_at', 'entry'])
    .execute()
  await db.schema.createIndex('directory_claims_document').on('directory_claims').columns(['document_id', 'agent_id']).execute()
  // For `since`, when few rows match.
  await db.schema
    .createIndex('directory_claims_since')
    .on('directory_claims')
    .columns(['agent_id', 'shown', 'verified_at'])
    .execute()
}

/** What the crawler keeps of publishers and files. */
async function createSourceTables(db: Kysely<unknown>, domain: RawBuilder<unknown>): Promise<void> {
  await db.schema
    .createTable('directory_documents')
    .addColumn('document_id', 'text', (c) => c.primaryKey())
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('host', 'text', (c) => c.notNull())
    .addColumn('fans_out', 'integer', (c) => c.notNull())
    .addColumn('refresh', 'integer', (c) => c.notNull())
    .addColumn('verified_at', 'text')
    .addColumn('attempted_at', 'text')
    .addColumn('failing_since', 'text')
    .addColumn('expires_at', 'text')
    .addColumn('rederive', 'integer', (c) => c.notNull())
    .addColumn('soonest_at', 'text')
    .addColumn('last_updated', 'text')
    .addColumn('etag', 'text')
    .addColumn('last_modified', 'text')
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until', 'text')
    .execute()
  await db.schema.createIndex('directory_documents_expiry').on('directory_documents').columns(['expires_at']).execute()

  await db.schema
    .createTable('directory_bodies')
    .addColumn('document_id', 'text', (c) => c.primaryKey())
    .addColumn('body', 'text', (c) => c.notNull())
    .execute()

  await db.schema
    .createTable('directory_holds')
    .addColumn('document_id', 'text', (c) => c.notNull())
    .addColumn('publisher_domain', domain, (c) => c.notNull())
    .addColumn('listed', 'integer', (c) => c.notNull())
    .addColumn('first_observed_at', 'text', (c) => c.notNull())
    .addColumn('earliest_revoked_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('directory_holds_pk', ['document_id', 'publisher_domain'])
    .execute()

  await db.schema
    .createTable('directory_publishers')
    .addColumn('publisher_domain', domain, (c) => c.primaryKey())
    .addColumn('origin', 'text', (c) => c.notNull())
    .addColumn('serves', 'text', (c) => c.notNull())
    .addColumn('self_blocked_until', 'text')
    .addColumn('route_method', 'text')
    .addColumn('route_manager', 'text')
    .addColumn('route_document_id', 'text')
    .addColumn('pointer_adopted', 'text')
    .addColumn('pointer_pending', 'text')
    .addColumn('pointer_pending_since', 'text')
    .addColumn('failures', 'integer', (c) => c.notNull())
    .addColumn('next_attempt_at', 'text', (c) => c.notNull())
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until', 'text')
    .addColumn('added_at', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('directory_publishers_due').on('directory_publishers').columns(['next_attempt_at']).execute()
  await db.schema.createIndex('directory_publishers_route').on('directory_publishers').columns(['route_document_id']).execute()

  await db.schema
    .createTable('directory_attempts')
    .addColumn('publisher_domain', domain, (c) => c.notNull())
    .addColumn('attempted_at', 'text', (c) => c.notNull())
    .addColumn('result', 'text', (c) => c.notNull())
    .addColumn('reason', 'text')
    .addColumn('duration_ms', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('directory_attempts_pk', ['publisher_domain', 'attempted_at'])
    .execute()
}

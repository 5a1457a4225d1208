import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/** The registry: agents and what they can be found by, what platform identities saved, and the feed of changes. */
export async function createRegistryTables(db: Kysely<unknown>): Promise<void> {
  // Pages go by domain in byte order, as in the directory.
  const bytes: RawBuilder<unknown> = db.getExecutor().adapter instanceof PostgresAdapter ? sql`text collate "C"` : sql`text`
  await createAgentTables(db, bytes)
  await createOtherTables(db, bytes)
}

async function createAgentTables(db: Kysely<unknown>, bytes: RawBuilder<unknown>): Promise<void> {
  await db.schema
    .createTable('registry_agents')
    .addColumn('agent_id', 'text', (c) => c.primaryKey())
    .addColumn('agent_url', 'text', (c) => c.notNull())
    .addColumn('call_url', 'text', (c) => c.notNull())
    .addColumn('domain', bytes, (c) => c.notNull())
    .addColumn('name', 'text')
    .addColumn('types', 'text', (c) => c.notNull())
    .addColumn('capabilities', 'text', (c) => c.notNull())
    .addColumn('channels', 'text', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('registered_by', 'text')
    .addColumn('listed', 'integer', (c) => c.notNull())
    .addColumn('health', 'text', (c) => c.notNull())
    .addColumn('checked_at', 'text')
    .addColumn('last_seen_at', 'text')
    .addColumn('failing_since', 'text')
    .addColumn('failures', 'integer', (c) => c.notNull())
    .addColumn('response_ms', 'integer')
    .addColumn('error', 'text')
    .addColumn('own_revision', 'text')
    .addColumn('next_check_at', 'text')
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until', 'text')
    .addColumn('added_at', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('registry_agents_due').on('registry_agents').columns(['next_check_at']).execute()
  await db.schema.createIndex('registry_agents_source').on('registry_agents').columns(['source', 'agent_id']).execute()
  await db.schema.createIndex('registry_agents_domain').on('registry_agents').columns(['domain', 'agent_id']).execute()

  // One row for each word that an agent can be found by; the empty word finds every listed agent.
  await db.schema
    .createTable('registry_facets')
    .addColumn('facet', bytes, (c) => c.notNull())
    .addColumn('domain', bytes, (c) => c.notNull())
    .addColumn('agent_id', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('registry_facets_pk', ['facet', 'domain', 'agent_id'])
    .execute()
  await db.schema.createIndex('registry_facets_agent').on('registry_facets').columns(['agent_id']).execute()
}

async function createOtherTables(db: Kysely<unknown>, bytes: RawBuilder<unknown>): Promise<void> {
  await db.schema
    .createTable('registry_entries')
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('domain', bytes, (c) => c.notNull())
    .addColumn('entry_id', 'text', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('saved_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('registry_entries_pk', ['kind', 'domain'])
    .execute()

  await db.schema
    .createTable('registry_crawl_requests')
    .addColumn('domain', bytes, (c) => c.primaryKey())
    .addColumn('crawl_request_id', 'text', (c) => c.notNull())
    .addColumn('requested_by', 'text', (c) => c.notNull())
    .addColumn('requested_at', 'text', (c) => c.notNull())
    .execute()

  await db.schema
    .createTable('registry_events')
    .addColumn('sequence', 'integer', (c) => c.primaryKey())
    .addColumn('event_type', 'text', (c) => c.notNull())
    .addColumn('entity_type', 'text', (c) => c.notNull())
    .addColumn('entity_id', 'text', (c) => c.notNull())
    .addColumn('payload', 'text', (c) => c.notNull())
    .addColumn('actor', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('registry_events_time').on('registry_events').columns(['created_at']).execute()

  // The number of the last event and of the last one that was dropped. Writers take the row in turn, so that no event appears behind
  // one that a reader has seen already.
  await db.schema
    .createTable('registry_feed')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('sequence', 'integer', (c) => c.notNull())
    .execute()
}

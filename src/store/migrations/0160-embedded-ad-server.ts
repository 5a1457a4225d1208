import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/** Orders, lines and creatives of the embedded ad server, its events, and what is summed up from them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const bytes: RawBuilder<unknown> = db.getExecutor().adapter instanceof PostgresAdapter ? sql`text collate "C"` : sql`text`
  await db.schema
    .createTable('house_versions')
    .addColumn('tenant_id', bytes, (c) => c.primaryKey())
    .addColumn('version', 'integer', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('house_orders')
    .addColumn('tenant_id', bytes, (c) => c.notNull())
    .addColumn('order_id', bytes, (c) => c.notNull())
    .addColumn('anchor', bytes, (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('house_orders_pk', ['tenant_id', 'order_id'])
    .execute()
  await db.schema
    .createTable('house_lines')
    .addColumn('tenant_id', bytes, (c) => c.notNull())
    .addColumn('line_id', bytes, (c) => c.notNull())
    .addColumn('order_id', bytes, (c) => c.notNull())
    .addColumn('anchor', bytes, (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('ends_at', bytes, (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('house_lines_pk', ['tenant_id', 'line_id'])
    .execute()
  await db.schema.createIndex('house_orders_anchor').on('house_orders').columns(['tenant_id', 'anchor']).unique().execute()
  await db.schema.createIndex('house_lines_anchor').on('house_lines').columns(['tenant_id', 'anchor']).execute()
  await db.schema.createIndex('house_lines_order').on('house_lines').columns(['tenant_id', 'order_id']).execute()
  await db.schema.createIndex('house_lines_end').on('house_lines').columns(['tenant_id', 'ends_at']).execute()
  await db.schema
    .createTable('house_creatives')
    .addColumn('tenant_id', bytes, (c) => c.notNull())
    .addColumn('creative_id', bytes, (c) => c.notNull())
    .addColumn('order_id', bytes, (c) => c.notNull())
    .addColumn('anchor', bytes, (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('house_creatives_pk', ['tenant_id', 'creative_id'])
    .execute()
  await db.schema.createIndex('house_creatives_order').on('house_creatives').columns(['tenant_id', 'order_id']).execute()
  await db.schema
    .createTable('house_associations')
    .addColumn('tenant_id', bytes, (c) => c.notNull())
    .addColumn('line_id', bytes, (c) => c.notNull())
    .addColumn('creative_id', bytes, (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('house_associations_pk', ['tenant_id', 'line_id', 'creative_id'])
    .execute()
  await createEventTables(db, bytes)
}

async function createEventTables(db: Kysely<unknown>, bytes: RawBuilder<unknown>): Promise<void> {
  await db.schema
    .createTable('house_events')
    .addColumn('event_id', bytes, (c) => c.primaryKey())
    .addColumn('tenant_id', bytes, (c) => c.notNull())
    .addColumn('line_id', bytes, (c) => c.notNull())
    .addColumn('creative_id', bytes, (c) => c.notNull())
    .addColumn('place', bytes, (c) => c.notNull())
    .addColumn('kind', bytes, (c) => c.notNull())
    .addColumn('bot', 'integer', (c) => c.notNull())
    .addColumn('rate_micros', 'bigint', (c) => c.notNull())
    .addColumn('happened_at', bytes, (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('house_hours')
    .addColumn('tenant_id', bytes, (c) => c.notNull())
    .addColumn('line_id', bytes, (c) => c.notNull())
    .addColumn('hour', bytes, (c) => c.notNull())
    .addColumn('creative_id', bytes, (c) => c.notNull())
    .addColumn('place', bytes, (c) => c.notNull())
    .addColumn('kind', bytes, (c) => c.notNull())
    .addColumn('bot', 'integer', (c) => c.notNull())
    .addColumn('rate_micros', 'bigint', (c) => c.notNull())
    .addColumn('events', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('house_hours_pk', [
      'tenant_id',
      'line_id',
      'hour',
      'creative_id',
      'place',
      'kind',
      'bot',
      'rate_micros',
    ])
    .execute()
  await db.schema
    .createTable('house_totals')
    .addColumn('tenant_id', bytes, (c) => c.notNull())
    .addColumn('line_id', bytes, (c) => c.notNull())
    .addColumn('kind', bytes, (c) => c.notNull())
    .addColumn('events', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('house_totals_pk', ['tenant_id', 'line_id', 'kind'])
    .execute()
  await db.schema
    .createTable('house_exposures')
    .addColumn('decision_id', bytes, (c) => c.primaryKey())
    .addColumn('tenant_id', bytes, (c) => c.notNull())
    .addColumn('viewer', bytes, (c) => c.notNull())
    .addColumn('line_id', bytes, (c) => c.notNull())
    .addColumn('seen_at', bytes, (c) => c.notNull())
    .addColumn('confirmed', 'integer', (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('house_exposures_viewer')
    .on('house_exposures')
    .columns(['tenant_id', 'viewer', 'line_id', 'seen_at'])
    .execute()
  await db.schema.createIndex('house_exposures_age').on('house_exposures').column('seen_at').execute()
}

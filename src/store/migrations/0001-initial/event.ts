import type { Kysely } from 'kysely'

const EVENT_KEY = ['tenant_id', 'seller_id', 'test_code', 'event_type', 'event_key'] as const

export async function createEventTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('event_sources')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('event_source_id', 'text', (c) => c.notNull())
    .addColumn('seller_id', 'text', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('event_sources_pk', ['tenant_id', 'principal_id', 'account_id', 'event_source_id'])
    .addUniqueConstraint('event_sources_seller_id', ['tenant_id', 'seller_id'])
    .addForeignKeyConstraint('event_sources_principal', ['tenant_id', 'principal_id'], 'principals', [
      'tenant_id',
      'principal_id',
    ])
    .execute()
  await db.schema
    .createTable('events')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('seller_id', 'text', (c) => c.notNull())
    .addColumn('test_code', 'text', (c) => c.notNull())
    .addColumn('event_type', 'text', (c) => c.notNull())
    .addColumn('event_key', 'text', (c) => c.notNull())
    .addColumn('event_time', 'text', (c) => c.notNull())
    .addColumn('received_at', 'text', (c) => c.notNull())
    .addColumn('matched', 'integer', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('events_pk', [...EVENT_KEY])
    .addForeignKeyConstraint('events_source', ['tenant_id', 'seller_id'], 'event_sources', ['tenant_id', 'seller_id'], (c) =>
      c.onDelete('cascade'),
    )
    .execute()
  await db.schema.createIndex('events_by_age').on('events').columns(['received_at']).execute()
  await db.schema.createIndex('events_by_source').on('events').columns(['tenant_id', 'seller_id', 'received_at']).execute()
  await db.schema
    .createTable('event_identifiers')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('seller_id', 'text', (c) => c.notNull())
    .addColumn('test_code', 'text', (c) => c.notNull())
    .addColumn('event_type', 'text', (c) => c.notNull())
    .addColumn('event_key', 'text', (c) => c.notNull())
    .addColumn('pseudonym', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('event_identifiers_pk', [...EVENT_KEY, 'pseudonym'])
    .addForeignKeyConstraint('event_identifiers_event', [...EVENT_KEY], 'events', [...EVENT_KEY], (c) => c.onDelete('cascade'))
    .execute()
  await db.schema
    .createIndex('event_identifiers_by_pseudonym')
    .on('event_identifiers')
    .columns(['tenant_id', 'pseudonym'])
    .execute()
  await db.schema
    .createTable('conversions')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('media_buy_id', 'text', (c) => c.notNull())
    .addColumn('package_id', 'text', (c) => c.notNull())
    .addColumn('event_type', 'text', (c) => c.notNull())
    .addColumn('event_key', 'text', (c) => c.notNull())
    .addColumn('event_source_id', 'text', (c) => c.notNull())
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('value_micros', 'bigint')
    .addColumn('content_ids', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('conversions_pk', ['tenant_id', 'package_id', 'event_type', 'event_key'])
    .execute()
  await db.schema
    .createIndex('conversions_by_media_buy')
    .on('conversions')
    .columns(['tenant_id', 'media_buy_id', 'day'])
    .execute()
}

import type { Kysely } from 'kysely'

/** Orders that are reconciled with ad servers, what changed there without us, and what was delivered. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createOrders(db)
  await createDrift(db)
  await createLedger(db)
}

async function createOrders(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('ad_server_orders')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('media_buy_id', 'text', (c) => c.notNull())
    .addColumn('ad_server', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('requested', 'integer', (c) => c.notNull())
    .addColumn('applied', 'integer', (c) => c.notNull())
    .addColumn('due_at', 'text', (c) => c.notNull())
    .addColumn('lease', 'text', (c) => c.notNull())
    .addColumn('lease_until', 'text', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('reason', 'text')
    .addColumn('written', 'text')
    .addColumn('attempted', 'text')
    .addColumn('observed_at', 'text')
    .addColumn('report_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('ad_server_orders_pk', ['tenant_id', 'media_buy_id', 'ad_server'])
    .execute()
  await db.schema.createIndex('ad_server_orders_due').on('ad_server_orders').columns(['due_at']).execute()
  await db.schema.createIndex('ad_server_orders_report').on('ad_server_orders').columns(['report_at']).execute()
}

async function createDrift(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('ad_server_drift')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('drift_id', 'text', (c) => c.notNull())
    .addColumn('media_buy_id', 'text', (c) => c.notNull())
    .addColumn('ad_server', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('field', 'text', (c) => c.notNull())
    .addColumn('expected', 'text', (c) => c.notNull())
    .addColumn('observed', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('found_at', 'text', (c) => c.notNull())
    .addColumn('settled_at', 'text')
    .addPrimaryKeyConstraint('ad_server_drift_pk', ['tenant_id', 'drift_id'])
    .execute()
  await db.schema
    .createIndex('ad_server_drift_by_order')
    .on('ad_server_drift')
    .columns(['tenant_id', 'media_buy_id', 'ad_server', 'state'])
    .execute()
  await db.schema
    .createIndex('ad_server_drift_by_state')
    .on('ad_server_drift')
    .columns(['tenant_id', 'state', 'found_at'])
    .execute()
}

async function createLedger(db: Kysely<unknown>): Promise<void> {
  const counts = ['impressions', 'clicks', 'views', 'completed_views', 'viewable_impressions', 'conversions', 'milli_points']
  const money = ['spend_micros', 'conversion_value_micros']
  let table = db.schema
    .createTable('delivery_ledger')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('package_id', 'text', (c) => c.notNull())
    .addColumn('period', 'text', (c) => c.notNull())
    .addColumn('creative_id', 'text', (c) => c.notNull())
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('ad_server', 'text', (c) => c.notNull())
    .addColumn('reported_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('delivery_ledger_pk', ['tenant_id', 'package_id', 'period', 'creative_id', 'revision'])
  for (const name of [...counts, ...money]) table = table.addColumn(name, 'bigint', (c) => c.notNull())
  await table.execute()
}

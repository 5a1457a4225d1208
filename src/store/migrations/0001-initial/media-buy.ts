import { type Kysely, sql } from 'kysely'

export async function createMediaBuyTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('media_buys')
    .addColumn('tenant_id', 'text', (c) => c.notNull().references('tenants.tenant_id'))
    .addColumn('media_buy_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('decision', 'text')
    .addColumn('paused', 'integer', (c) => c.notNull())
    .addColumn('starts_at', 'text', (c) => c.notNull())
    .addColumn('ends_at', 'text', (c) => c.notNull())
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('media_buys_pk', ['tenant_id', 'media_buy_id'])
    .execute()
  await db.schema
    .createIndex('media_buys_by_principal')
    .on('media_buys')
    .columns(['tenant_id', 'principal_id', 'created_at', 'media_buy_id'])
    .execute()
  await db.schema
    .createTable('packages')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('package_id', 'text', (c) => c.notNull())
    .addColumn('media_buy_id', 'text', (c) => c.notNull())
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('product_id', 'text', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('packages_pk', ['tenant_id', 'package_id'])
    .addForeignKeyConstraint('packages_buy', ['tenant_id', 'media_buy_id'], 'media_buys', ['tenant_id', 'media_buy_id'])
    .execute()
  await db.schema.createIndex('packages_by_buy').on('packages').columns(['tenant_id', 'media_buy_id', 'position']).execute()
  // Impressions sold of a guaranteed product by UTC day. `pool` keeps what a sandbox buyer books apart from real inventory.
  await db.schema
    .createTable('inventory_days')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('pool', 'text', (c) => c.notNull())
    .addColumn('product_id', 'text', (c) => c.notNull())
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('reserved', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('inventory_days_pk', ['tenant_id', 'pool', 'product_id', 'day'])
    .execute()
  // The seller wants to examine the agent's next order before it is confirmed.
  await db.schema
    .createTable('approval_holds')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('task_id', 'text', (c) => c.notNull())
    .addColumn('message', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('approval_holds_pk', ['tenant_id', 'principal_id'])
    .execute()
  await db.schema
    .createTable('performance_feedback')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('feedback_id', 'text', (c) => c.notNull())
    .addColumn('media_buy_id', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('performance_feedback_pk', ['tenant_id', 'feedback_id'])
    .execute()
  await db.schema
    .createIndex('performance_feedback_by_buy')
    .on('performance_feedback')
    .columns(['tenant_id', 'media_buy_id', 'created_at'])
    .execute()
  // What runs or will run is little beside what is over; the order of creation would lead through all of it.
  await db.schema
    .createIndex('media_buys_live')
    .on('media_buys')
    .columns(['tenant_id', 'principal_id', 'ends_at'])
    .where(sql.ref('decision'), 'is', null)
    .execute()
}

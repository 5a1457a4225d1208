import type { Kysely } from 'kysely'

/** Orders at ad servers without an API, and the delivery that people report of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('manual_orders')
    .addColumn('tenant_id', 'text', (c) => c.notNull().references('tenants.tenant_id'))
    .addColumn('ad_server', 'text', (c) => c.notNull())
    .addColumn('order_id', 'text', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('manual_orders_pk', ['tenant_id', 'ad_server', 'order_id'])
    .execute()
  await db.schema
    .createTable('manual_delivery')
    .addColumn('tenant_id', 'text', (c) => c.notNull().references('tenants.tenant_id'))
    .addColumn('ad_server', 'text', (c) => c.notNull())
    .addColumn('order_id', 'text', (c) => c.notNull())
    .addColumn('line_id', 'text', (c) => c.notNull())
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('metrics', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('manual_delivery_pk', ['tenant_id', 'ad_server', 'order_id', 'line_id', 'day'])
    .execute()
}

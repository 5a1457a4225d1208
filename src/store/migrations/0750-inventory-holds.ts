import type { Kysely } from 'kysely'

/** Proposals keep the terms that a buyer negotiated and what became of them, and those that are finalized hold inventory for a time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('proposals').addColumn('negotiated', 'text').execute()
  await db.schema.alterTable('proposals').addColumn('ending', 'text').execute()
  await db.schema
    .createTable('inventory_holds')
    .addColumn('tenant_id', 'text', (c) => c.notNull().references('tenants.tenant_id'))
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('proposal_id', 'text', (c) => c.notNull())
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('pool', 'text', (c) => c.notNull())
    .addColumn('product_id', 'text', (c) => c.notNull())
    .addColumn('impressions', 'bigint', (c) => c.notNull())
    .addColumn('starts_at', 'text', (c) => c.notNull())
    .addColumn('ends_at', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('inventory_holds_pk', ['tenant_id', 'principal_id', 'proposal_id', 'position'])
    .execute()
  await db.schema
    .createIndex('inventory_holds_by_product')
    .on('inventory_holds')
    .columns(['tenant_id', 'pool', 'product_id', 'expires_at'])
    .execute()
  await db.schema.createIndex('inventory_holds_by_expiry').on('inventory_holds').columns(['expires_at']).execute()
}

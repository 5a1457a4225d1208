import type { Kysely } from 'kysely'

/** What an agent asked to be kept about itself with this seller (AdCP 3.2 sync_principal); one row an agent that asked. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('principal_configurations')
    .addColumn('tenant_id', 'text', (c) => c.notNull().references('tenants.tenant_id'))
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('version', 'text', (c) => c.notNull())
    .addColumn('notification_configs', 'text', (c) => c.notNull())
    .addColumn('known_capabilities', 'text')
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('principal_configurations_key', ['tenant_id', 'principal_id'])
    .execute()
}

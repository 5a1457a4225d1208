import type { Kysely } from 'kysely'

export async function createSignalTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('signal_catalogues')
    .addColumn('tenant_id', 'text', (c) => c.primaryKey().references('tenants.tenant_id'))
    .addColumn('data_providers', 'text', (c) => c.notNull())
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('signals')
    .addColumn('tenant_id', 'text', (c) => c.notNull().references('tenants.tenant_id'))
    .addColumn('segment_id', 'text', (c) => c.notNull())
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('removed_at', 'text')
    .addPrimaryKeyConstraint('signals_pk', ['tenant_id', 'segment_id'])
    .execute()
  await db.schema
    .createTable('signal_deployments')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('deployment_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('segment_id', 'text', (c) => c.notNull())
    .addColumn('destination_key', 'text', (c) => c.notNull())
    .addColumn('destination', 'text', (c) => c.notNull())
    .addColumn('pricing_option_id', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('activation_key', 'text')
    .addColumn('task_id', 'text')
    .addColumn('requested_at', 'text', (c) => c.notNull())
    .addColumn('ready_at', 'text', (c) => c.notNull())
    .addColumn('deployed_at', 'text')
    .addColumn('ended_at', 'text')
    .addPrimaryKeyConstraint('signal_deployments_pk', ['tenant_id', 'deployment_id'])
    .addUniqueConstraint('signal_deployments_place', ['tenant_id', 'principal_id', 'account_id', 'segment_id', 'destination_key'])
    .addForeignKeyConstraint('signal_deployments_principal', ['tenant_id', 'principal_id'], 'principals', [
      'tenant_id',
      'principal_id',
    ])
    .execute()
}

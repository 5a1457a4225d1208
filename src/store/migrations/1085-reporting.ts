import type { Kysely } from 'kysely'

/** Reports that buyers have configured: what they want, and what was owed, published and corrected, in the order in which it was committed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('reporting_generations')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('config_id', 'text', (c) => c.notNull())
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('activated_at', 'text', (c) => c.notNull())
    .addColumn('deactivated_at', 'text')
    .addColumn('stopped_at', 'text')
    .addPrimaryKeyConstraint('reporting_generations_pk', ['tenant_id', 'principal_id', 'account_id', 'config_id', 'version'])
    .execute()
  await db.schema
    .createTable('reporting_records')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('seq', 'integer', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('record_id', 'text', (c) => c.notNull())
    .addColumn('slice_id', 'text', (c) => c.notNull())
    .addColumn('period_start', 'text', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('report_rows', 'text')
    .addColumn('recorded_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('reporting_records_pk', ['tenant_id', 'principal_id', 'account_id', 'seq'])
    .addUniqueConstraint('reporting_records_once', ['tenant_id', 'principal_id', 'account_id', 'record_id'])
    .execute()
  await db.schema.createIndex('reporting_records_age').on('reporting_records').column('recorded_at').execute()
}

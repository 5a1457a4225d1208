import type { Kysely } from 'kysely'

/** What the publisher's people made of statements of buyers that contradict a report; statements of a publisher are found by when they came. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('reporting_cases')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('issue_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('agreed_with', 'text')
    .addColumn('note', 'text')
    .addColumn('charge_id', 'text')
    .addColumn('decided_by', 'text', (c) => c.notNull())
    .addColumn('decided_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('reporting_cases_pk', ['tenant_id', 'issue_id'])
    .execute()
  await db.schema
    .createIndex('reporting_records_kinds')
    .on('reporting_records')
    .columns(['tenant_id', 'kind', 'recorded_at'])
    .execute()
}

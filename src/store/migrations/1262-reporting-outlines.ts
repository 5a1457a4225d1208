import type { Kysely } from 'kysely'

/** The health of a year of reports is read without the reports; periods are found without reading all others. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('reporting_records').addColumn('finality', 'text').execute()
  await db.schema
    .createIndex('reporting_records_periods')
    .on('reporting_records')
    .columns(['tenant_id', 'principal_id', 'account_id', 'period_start'])
    .execute()
}

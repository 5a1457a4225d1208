import type { Kysely } from 'kysely'

/** Reports and statements of one period are found without reading those of all others. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('reporting_records_slices')
    .on('reporting_records')
    .columns(['tenant_id', 'principal_id', 'account_id', 'slice_id'])
    .execute()
}

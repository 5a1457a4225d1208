import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('usage_records').addColumn('rights_id', 'text').execute()
  await db.schema
    .createIndex('usage_records_by_right')
    .on('usage_records')
    .columns(['tenant_id', 'principal_id', 'rights_id'])
    .execute()
}

import type { Kysely } from 'kysely'

/** How far the log of ad events is counted, by partition: written in the transaction that counts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('ad_log_positions')
    .addColumn('log_id', 'text', (c) => c.notNull())
    .addColumn('partition', 'integer', (c) => c.notNull())
    .addColumn('next_offset', 'bigint', (c) => c.notNull())
    .addColumn('epoch', 'integer', (c) => c.notNull())
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('complete_until', 'text', (c) => c.notNull())
    .addColumn('lost', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('ad_log_positions_pk', ['log_id', 'partition'])
    .execute()
}

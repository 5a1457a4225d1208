import type { Kysely } from 'kysely'

/** Accounts whose reports follow a clock that a conformance suite moves. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('reporting_labs')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('now_is', 'text', (c) => c.notNull())
    .addColumn('counted_until', 'text')
    .addColumn('revision_id', 'text')
    .addPrimaryKeyConstraint('reporting_labs_pk', ['tenant_id', 'principal_id', 'account_id'])
    .execute()
}

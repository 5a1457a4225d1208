import type { Kysely } from 'kysely'

/**
 * Packages that a frequency cap holds back, by the rule that did it: one that was changed holds back no longer. What was held back before is counted anew
 * from the impressions that are stored.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('match_caps').execute()
  await db.schema
    .createTable('match_caps')
    .addColumn('tenant_id', 'text', (c) => c.notNull().references('tenants.tenant_id'))
    .addColumn('identity', 'text', (c) => c.notNull())
    .addColumn('seller', 'text', (c) => c.notNull())
    .addColumn('package_id', 'text', (c) => c.notNull())
    .addColumn('rule', 'text', (c) => c.notNull())
    .addColumn('until', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('match_caps_pk', ['tenant_id', 'identity', 'seller', 'package_id', 'rule'])
    .execute()
  await db.schema.createIndex('match_caps_by_end').on('match_caps').columns(['until']).execute()
}

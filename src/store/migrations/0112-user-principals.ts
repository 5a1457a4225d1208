import type { Kysely } from 'kysely'

/** People who may act as several agents, and which of them a grant is for. Grants from before are for the agent that the user is of. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('user_principals')
    .addColumn('username', 'text', (c) => c.notNull().references('basic_users.username'))
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('user_principals_pk', ['username', 'principal_id'])
    .execute()
  await db.schema.alterTable('oauth_records').addColumn('principal_id', 'text').execute()
}

import type { Kysely } from 'kysely'

/** The publisher's people: their roles, sessions of the console, and invitations. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('people')
    .addColumn('person_id', 'text', (c) => c.primaryKey())
    .addColumn('username', 'text', (c) => c.notNull().unique())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('password_hash', 'text', (c) => c.notNull())
    .addColumn('role', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('revoked_at', 'text')
    .execute()
  await db.schema
    .createTable('person_roles')
    .addColumn('person_id', 'text', (c) => c.notNull().references('people.person_id'))
    .addColumn('tenant_id', 'text', (c) => c.notNull().references('tenants.tenant_id'))
    .addColumn('role', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('person_roles_pk', ['person_id', 'tenant_id'])
    .execute()
  await db.schema
    .createTable('person_sessions')
    .addColumn('token_hash', 'text', (c) => c.primaryKey())
    .addColumn('session_id', 'text', (c) => c.notNull().unique())
    .addColumn('person_id', 'text', (c) => c.notNull().references('people.person_id'))
    .addColumn('browser', 'text', (c) => c.notNull())
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('used_at', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('person_sessions_by_person').on('person_sessions').columns(['person_id', 'created_at']).execute()
  await db.schema
    .createTable('person_invitations')
    .addColumn('token_hash', 'text', (c) => c.primaryKey())
    .addColumn('invitation_id', 'text', (c) => c.notNull().unique())
    .addColumn('tenant_id', 'text', (c) => c.references('tenants.tenant_id'))
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'text', (c) => c.notNull())
    .execute()
}

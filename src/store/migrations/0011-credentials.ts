import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('basic_users')
    .addColumn('username', 'text', (c) => c.primaryKey())
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('password_hash', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('revoked_at', 'text')
    .addForeignKeyConstraint('basic_users_principal', ['tenant_id', 'principal_id'], 'principals', ['tenant_id', 'principal_id'])
    .execute()
  await db.schema
    .createTable('agent_key_sources')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('agent_key_sources_pk', ['tenant_id', 'principal_id', 'kind'])
    .addForeignKeyConstraint('agent_key_sources_principal', ['tenant_id', 'principal_id'], 'principals', [
      'tenant_id',
      'principal_id',
    ])
    .execute()
  await db.schema
    .createTable('revoked_agent_keys')
    .addColumn('keyid', 'text', (c) => c.primaryKey())
    .addColumn('revoked_at', 'text', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('jwt_subjects')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('jwt_subjects_pk', ['tenant_id', 'issuer', 'subject'])
    .addForeignKeyConstraint('jwt_subjects_principal', ['tenant_id', 'principal_id'], 'principals', ['tenant_id', 'principal_id'])
    .execute()
  await db.schema.createIndex('principals_by_agent_url').on('principals').columns(['agent_url']).execute()
}

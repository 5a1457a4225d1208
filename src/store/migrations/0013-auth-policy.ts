import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('principals')
    .addColumn('signing_required', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema
    .createTable('jwt_issuers')
    .addColumn('tenant_id', 'text', (c) => c.notNull().references('tenants.tenant_id'))
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('audience', 'text', (c) => c.notNull())
    .addColumn('jwks_uri', 'text', (c) => c.notNull())
    .addColumn('algorithms', 'text', (c) => c.notNull())
    .addColumn('max_age_seconds', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('jwt_issuers_pk', ['tenant_id', 'issuer'])
    .addUniqueConstraint('jwt_issuers_one_tenant', ['issuer', 'audience'])
    .execute()
  await db.schema
    .createTable('account_grants')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('read_only', 'integer', (c) => c.notNull())
    .addColumn('allowed_tasks', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('account_grants_pk', ['tenant_id', 'principal_id', 'account_id'])
    .addForeignKeyConstraint('account_grants_account', ['tenant_id', 'account_id'], 'accounts', ['tenant_id', 'account_id'])
    .addForeignKeyConstraint('account_grants_principal', ['tenant_id', 'principal_id'], 'principals', [
      'tenant_id',
      'principal_id',
    ])
    .execute()
}

import type { Kysely } from 'kysely'

export async function createIdentityTables(db: Kysely<unknown>): Promise<void> {
  await createPrincipals(db)
  await createCredentials(db)
  await createAuthPolicy(db)
  await createClientCertificates(db)
  await createUserPrincipals(db)
  await createOauthRecords(db)
}

async function createPrincipals(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('tenants')
    .addColumn('tenant_id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('domain', 'text', (c) => c.notNull())
    .addColumn('is_public_default', 'integer', (c) => c.notNull())
    .addColumn('catalogue_revision', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('settings', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .execute()

  await db.schema
    .createTable('principals')
    .addColumn('tenant_id', 'text', (c) => c.notNull().references('tenants.tenant_id'))
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('agent_url', 'text')
    .addColumn('sandbox', 'integer', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('scopes', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('signing_required', 'integer', (c) => c.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('principals_pk', ['tenant_id', 'principal_id'])
    .execute()

  await db.schema
    .createTable('api_keys')
    .addColumn('key_hash', 'text', (c) => c.primaryKey())
    .addColumn('key_id', 'text', (c) => c.notNull().unique())
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('prefix', 'text', (c) => c.notNull())
    .addColumn('last_four', 'text', (c) => c.notNull())
    .addColumn('scopes', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'text')
    .addColumn('revoked_at', 'text')
    .addColumn('last_used_at', 'text')
    .addForeignKeyConstraint('api_keys_principal', ['tenant_id', 'principal_id'], 'principals', ['tenant_id', 'principal_id'])
    .execute()
  // Every call without credentials asks for the public tenant.
  await db.schema.createIndex('tenants_by_default').on('tenants').columns(['is_public_default']).execute()
  await db.schema.createIndex('api_keys_by_principal').on('api_keys').columns(['tenant_id', 'principal_id', 'key_id']).execute()
}

async function createCredentials(db: Kysely<unknown>): Promise<void> {
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

async function createAuthPolicy(db: Kysely<unknown>): Promise<void> {
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
}

async function createClientCertificates(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('client_certificates')
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('client_certificates_pk', ['name', 'tenant_id'])
    .addForeignKeyConstraint('client_certificates_principal', ['tenant_id', 'principal_id'], 'principals', [
      'tenant_id',
      'principal_id',
    ])
    .execute()
}

/** People who may act as several agents, and which of them a grant is for. Grants from before are for the agent that the user is of. */
async function createUserPrincipals(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('user_principals')
    .addColumn('username', 'text', (c) => c.notNull().references('basic_users.username'))
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('user_principals_pk', ['username', 'principal_id'])
    .execute()
}

/** What the authorization server keeps: clients, grants, codes, refresh tokens, sessions and its key, each a document of its own kind. */
async function createOauthRecords(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('oauth_records')
    .addColumn('kind', 'text', (c) => c.notNull())
    // SHA-256 of the identifier: codes, refresh tokens and session cookies are identifiers that let in.
    .addColumn('record_hash', 'text', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('uid_hash', 'text')
    .addColumn('grant_hash', 'text')
    .addColumn('consumed_at', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('used_at', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'text')
    .addColumn('principal_id', 'text')
    .addPrimaryKeyConstraint('oauth_records_pk', ['kind', 'record_hash'])
    .execute()
  await db.schema.createIndex('oauth_records_grant').on('oauth_records').columns(['grant_hash']).execute()
  await db.schema.createIndex('oauth_records_uid').on('oauth_records').columns(['kind', 'uid_hash']).execute()
  await db.schema.createIndex('oauth_records_expiry').on('oauth_records').columns(['expires_at']).execute()
}

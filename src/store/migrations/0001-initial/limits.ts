import type { Kysely } from 'kysely'

export async function createLimitTables(db: Kysely<unknown>): Promise<void> {
  await createSignatureNonces(db)
  await createSharedLimits(db)
}

async function createSignatureNonces(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('signature_nonces')
    .addColumn('keyid', 'text', (c) => c.notNull())
    .addColumn('nonce', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('signature_nonces_pk', ['keyid', 'nonce'])
    .execute()
  await db.schema.createIndex('signature_nonces_by_expiry').on('signature_nonces').columns(['keyid', 'expires_at']).execute()
  await db.schema.createIndex('signature_nonces_dead').on('signature_nonces').columns(['expires_at']).execute()
  await db.schema
    .createTable('signature_nonce_counts')
    .addColumn('keyid', 'text', (c) => c.primaryKey())
    .addColumn('entries', 'integer', (c) => c.notNull())
    .execute()
}

async function createSharedLimits(db: Kysely<unknown>): Promise<void> {
  // The column names and their order are those of rate-limiter-flexible.
  await db.schema
    .createTable('rate_limits')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('points', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('expire', 'bigint')
    .execute()
  await db.schema.createIndex('rate_limits_by_expiry').on('rate_limits').columns(['expire']).execute()

  await db.schema
    .createTable('auth_failures')
    .addColumn('bucket', 'text', (c) => c.primaryKey())
    .addColumn('failures', 'integer', (c) => c.notNull())
    .addColumn('last_at', 'bigint', (c) => c.notNull())
    .addColumn('wait_until', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('auth_failures_by_time').on('auth_failures').columns(['last_at']).execute()

  await db.schema
    .createTable('auth_trust')
    .addColumn('pair', 'text', (c) => c.primaryKey())
    .addColumn('since', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('auth_trust_by_time').on('auth_trust').columns(['since']).execute()
}

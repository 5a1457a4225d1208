import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
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

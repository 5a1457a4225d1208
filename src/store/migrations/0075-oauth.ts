import type { Kysely } from 'kysely'

/** What the authorization server keeps: clients, grants, codes, refresh tokens, sessions and its key, each a document of its own kind. */
export async function up(db: Kysely<unknown>): Promise<void> {
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
    .addPrimaryKeyConstraint('oauth_records_pk', ['kind', 'record_hash'])
    .execute()
  await db.schema.createIndex('oauth_records_grant').on('oauth_records').columns(['grant_hash']).execute()
  await db.schema.createIndex('oauth_records_uid').on('oauth_records').columns(['kind', 'uid_hash']).execute()
  await db.schema.createIndex('oauth_records_expiry').on('oauth_records').columns(['expires_at']).execute()
}

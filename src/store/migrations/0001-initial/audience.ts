import type { Kysely } from 'kysely'

export async function createAudienceTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('audiences')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('audience_id', 'text', (c) => c.notNull())
    .addColumn('seller_id', 'text', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('last_synced_at', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('audiences_pk', ['tenant_id', 'principal_id', 'account_id', 'audience_id'])
    .addUniqueConstraint('audiences_seller_id', ['tenant_id', 'seller_id'])
    .addForeignKeyConstraint('audiences_principal', ['tenant_id', 'principal_id'], 'principals', ['tenant_id', 'principal_id'])
    .execute()
  await db.schema
    .createTable('audience_members')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('seller_id', 'text', (c) => c.notNull())
    .addColumn('member', 'text', (c) => c.notNull())
    .addColumn('matched', 'integer', (c) => c.notNull())
    .addColumn('added_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('audience_members_pk', ['tenant_id', 'seller_id', 'member'])
    .addForeignKeyConstraint(
      'audience_members_audience',
      ['tenant_id', 'seller_id'],
      'audiences',
      ['tenant_id', 'seller_id'],
      (c) => c.onDelete('cascade'),
    )
    .execute()
  await db.schema.createIndex('audience_members_by_age').on('audience_members').columns(['added_at']).execute()
  await db.schema
    .createTable('audience_identifiers')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('seller_id', 'text', (c) => c.notNull())
    .addColumn('member', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('pseudonym', 'text', (c) => c.notNull())
    .addColumn('matched', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('audience_identifiers_pk', ['tenant_id', 'seller_id', 'member', 'kind', 'pseudonym'])
    .addForeignKeyConstraint(
      'audience_identifiers_member',
      ['tenant_id', 'seller_id', 'member'],
      'audience_members',
      ['tenant_id', 'seller_id', 'member'],
      (c) => c.onDelete('cascade'),
    )
    .execute()
  await db.schema
    .createIndex('audience_identifiers_by_pseudonym')
    .on('audience_identifiers')
    .columns(['tenant_id', 'pseudonym'])
    .execute()
}

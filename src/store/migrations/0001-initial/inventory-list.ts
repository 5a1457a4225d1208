import type { Kysely } from 'kysely'

export async function createInventoryListTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('inventory_lists')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('list_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('name_folded', 'text', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('member_count', 'integer', (c) => c.notNull())
    .addColumn('token_hash', 'text', (c) => c.notNull())
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('inventory_lists_pk', ['tenant_id', 'kind', 'list_id'])
    .addUniqueConstraint('inventory_lists_token', ['token_hash'])
    .addForeignKeyConstraint('inventory_lists_principal', ['tenant_id', 'principal_id'], 'principals', [
      'tenant_id',
      'principal_id',
    ])
    .execute()
  await db.schema
    .createIndex('inventory_lists_by_principal')
    .on('inventory_lists')
    .columns(['tenant_id', 'principal_id', 'kind', 'created_at', 'list_id'])
    .execute()
}

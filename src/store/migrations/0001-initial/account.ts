import type { Kysely } from 'kysely'

export async function createAccountTables(db: Kysely<unknown>): Promise<void> {
  await createAccounts(db)
  await createUsage(db)
}

async function createAccounts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('accounts')
    .addColumn('tenant_id', 'text', (c) => c.notNull().references('tenants.tenant_id'))
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('natural_key', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('sandbox', 'integer', (c) => c.notNull())
    .addColumn('implicit', 'integer', (c) => c.notNull())
    .addColumn('billing', 'text')
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('accounts_pk', ['tenant_id', 'account_id'])
    .addUniqueConstraint('accounts_natural', ['tenant_id', 'principal_id', 'natural_key'])
    .execute()
  await db.schema
    .createIndex('accounts_by_principal')
    .on('accounts')
    .columns(['tenant_id', 'principal_id', 'account_id'])
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

async function createUsage(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('usage_records')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('usage_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('fingerprint', 'text', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('cost_micros', 'bigint', (c) => c.notNull())
    .addColumn('currency', 'text', (c) => c.notNull())
    .addColumn('billed_on', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('rights_id', 'text')
    .addPrimaryKeyConstraint('usage_records_pk', ['tenant_id', 'usage_id'])
    .addUniqueConstraint('usage_records_once', ['tenant_id', 'principal_id', 'account_id', 'fingerprint'])
    .execute()
  await db.schema
    .createIndex('usage_records_by_account')
    .on('usage_records')
    .columns(['tenant_id', 'account_id', 'billed_on'])
    .execute()
  await db.schema
    .createTable('account_payments')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('payment_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('amount_micros', 'bigint', (c) => c.notNull())
    .addColumn('currency', 'text', (c) => c.notNull())
    .addColumn('paid_on', 'text', (c) => c.notNull())
    .addColumn('reference', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('account_payments_pk', ['tenant_id', 'payment_id'])
    .addForeignKeyConstraint('account_payments_account', ['tenant_id', 'account_id'], 'accounts', ['tenant_id', 'account_id'])
    .execute()
  await db.schema
    .createIndex('usage_records_by_right')
    .on('usage_records')
    .columns(['tenant_id', 'principal_id', 'rights_id'])
    .execute()
}

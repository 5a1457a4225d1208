import type { Kysely } from 'kysely'

export async function createTaskTables(db: Kysely<unknown>): Promise<void> {
  await createIdempotency(db)
  await createTasks(db)
  await createApprovals(db)
}

async function createIdempotency(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('idempotency')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('idempotency_key', 'text', (c) => c.notNull())
    .addColumn('request_hash', 'text', (c) => c.notNull())
    .addColumn('claim', 'text', (c) => c.notNull())
    .addColumn('lease_until', 'text', (c) => c.notNull())
    .addColumn('response', 'text')
    .addColumn('expires_at', 'text', (c) => c.notNull())
    .addColumn('forget_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('idempotency_pk', ['tenant_id', 'principal_id', 'account_id', 'idempotency_key'])
    .execute()
  await db.schema.createIndex('idempotency_by_expiry').on('idempotency').columns(['expires_at']).execute()
  await db.schema.createIndex('idempotency_by_forget').on('idempotency').columns(['forget_at']).execute()
}

async function createTasks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('tasks')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('task_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('task_type', 'text', (c) => c.notNull())
    .addColumn('protocol', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('message', 'text')
    .addColumn('request', 'text', (c) => c.notNull())
    .addColumn('result', 'text')
    .addColumn('error', 'text')
    .addColumn('has_webhook', 'integer', (c) => c.notNull())
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addColumn('completed_at', 'text')
    .addPrimaryKeyConstraint('tasks_pk', ['tenant_id', 'principal_id', 'task_id'])
    .execute()
}

async function createApprovals(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('approvals')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('task_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('task_type', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('summary', 'text', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('conditions', 'text', (c) => c.notNull())
    .addColumn('note', 'text')
    .addColumn('reminded', 'integer', (c) => c.notNull())
    .addColumn('due_at', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('decided_at', 'text')
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('approvals_pk', ['tenant_id', 'task_id'])
    .execute()
  await db.schema.createIndex('approvals_due').on('approvals').columns(['due_at']).execute()
  await db.schema.createIndex('approvals_listed').on('approvals').columns(['tenant_id', 'state', 'created_at']).execute()
  // Every status that a task had, oldest first: what `include_history` shows.
  await db.schema
    .createTable('task_changes')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('task_id', 'text', (c) => c.notNull())
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('at', 'text', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('task_changes_pk', ['tenant_id', 'principal_id', 'task_id', 'revision'])
    .execute()
}

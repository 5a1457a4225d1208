import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
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
  // Orders that waited before there was one queue for everything: they keep waiting, without a term.
  await sql`insert into approvals (tenant_id, task_id, principal_id, account_id, task_type, state, reason, summary, document, conditions,
      reminded, due_at, expires_at, created_at, revision)
    select o.tenant_id, o.task_id, o.principal_id, t.account_id, t.task_type, 'waiting', coalesce(t.message, ''), '{}', o.document, '[]',
      1, '9999-01-01T00:00:00.000Z', '9999-01-01T00:00:00.000Z', o.created_at, 1
    from submitted_orders o
    join tasks t on t.tenant_id = o.tenant_id and t.principal_id = o.principal_id and t.task_id = o.task_id`.execute(db)
  await db.schema.dropTable('submitted_orders').execute()
}

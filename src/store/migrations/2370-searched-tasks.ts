import { type Kysely, sql } from 'kysely'

/**
 * Tasks are listed and counted in one index, and searched in texts beside them: their requests and results are a megabyte each where a buyer likes, and
 * a search read all of them. Of tasks from before, the beginning of both is searched.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('tasks_listed')
    .on('tasks')
    .columns([
      'tenant_id',
      'principal_id',
      'task_id',
      'account_id',
      'task_type',
      'protocol',
      'status',
      'has_webhook',
      'created_at',
      'updated_at',
    ])
    .execute()
  await db.schema
    .createTable('task_texts')
    .addColumn('tenant_id', 'text', (column) => column.notNull())
    .addColumn('principal_id', 'text', (column) => column.notNull())
    .addColumn('task_id', 'text', (column) => column.notNull())
    .addColumn('searched', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('task_texts_pk', ['tenant_id', 'principal_id', 'task_id'])
    .execute()
  // Tokens of lists that tasks still hold are removed from them later, and are not copied here.
  await sql`insert into task_texts (tenant_id, principal_id, task_id, searched)
    select tenant_id, principal_id, task_id, substr(request, 1, 4000) || ' ' || substr(coalesce(result, ''), 1, 4000) from tasks
    where request not like ${'%"auth_token":"%'} and coalesce(result, '') not like ${'%"auth_token":"%'}`.execute(db)
}

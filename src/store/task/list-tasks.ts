import { type Expression, type SqlBool, sql } from 'kysely'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { Db } from '../database.ts'
import { pageOfSize } from '../page-size.ts'
import type { TaskStatus } from './rows.ts'
import { type StoredTask, storedTaskOf } from './tasks.ts'

export type TaskSortField = 'created_at' | 'updated_at' | 'status' | 'task_type' | 'protocol'

/** What a listing asks for: all of it has to hold. Timestamps are ISO 8601 in UTC, as they are stored. */
export interface TaskQuery {
  readonly taskIds?: readonly string[] | undefined
  readonly taskTypes?: readonly string[] | undefined
  readonly accountId?: string | undefined
  /** Types that are left out. */
  readonly withoutTypes?: readonly string[] | undefined
  readonly protocols?: readonly string[] | undefined
  readonly statuses?: readonly TaskStatus[] | undefined
  readonly createdAfter?: string | undefined
  readonly createdBefore?: string | undefined
  readonly updatedAfter?: string | undefined
  readonly updatedBefore?: string | undefined
  readonly hasWebhook?: boolean | undefined
  /** Text that the request or the result holds, upper and lower case distinguished. */
  readonly contains?: string | undefined
}

/** Keyset position: the sort value of the last task shown, and its id. */
export type TaskPosition = readonly [value: string, taskId: string]

export interface ListedTask {
  readonly task: StoredTask
  readonly position: TaskPosition
}

/** A page of tasks. */
export interface TaskPage {
  readonly tasks: readonly ListedTask[]
  /** Whether there are more. */
  readonly isCut: boolean
}

/** A principal's tasks in the given order, `limit` at most, fewer where they are large, after a position. */
export async function listTasks(
  db: Db,
  owner: PrincipalRef,
  query: TaskQuery,
  sort: { readonly field: TaskSortField; readonly direction: 'asc' | 'desc' },
  page: { readonly after: TaskPosition | undefined; readonly limit: number },
): Promise<TaskPage> {
  const { field, direction } = sort
  const further = direction === 'asc' ? '>' : '<'
  let listed = matching(db, owner, query).selectAll().orderBy(field, direction).orderBy('task_id', direction)
  if (page.after) {
    const [value, taskId] = page.after
    listed = listed.where((e) => e.or([e(field, further, value), e.and([e(field, '=', value), e('task_id', further, taskId)])]))
  }
  const { rows, isCut } = await pageOfSize(listed, ['request', 'result'], page.limit)
  return { tasks: rows.map((row) => ({ task: storedTaskOf(row), position: [row[field], row.task_id] })), isCut }
}

export interface TaskCounts {
  readonly total: number
  readonly byStatus: ReadonlyMap<TaskStatus, number>
  readonly byProtocol: ReadonlyMap<string, number>
}

/** How many tasks match, by status and by protocol. */
export async function countTasks(db: Db, owner: PrincipalRef, query: TaskQuery): Promise<TaskCounts> {
  const rows = await matching(db, owner, query)
    .select((e) => ['status', 'protocol', e.fn.countAll<number | string>().as('count')])
    .groupBy(['status', 'protocol'])
    .execute()
  const byStatus = new Map<TaskStatus, number>()
  const byProtocol = new Map<string, number>()
  for (const { status, protocol, count } of rows) {
    byStatus.set(status, (byStatus.get(status) ?? 0) + Number(count))
    byProtocol.set(protocol, (byProtocol.get(protocol) ?? 0) + Number(count))
  }
  return { total: [...byStatus.values()].reduce((a, b) => a + b, 0), byStatus, byProtocol }
}

function matching(db: Db, owner: PrincipalRef, query: TaskQuery) {
  const { taskIds, taskTypes, withoutTypes, protocols, statuses, hasWebhook, contains } = query
  return db
    .selectFrom('tasks')
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .$if(query.accountId !== undefined, (q) => q.where('account_id', '=', query.accountId ?? ''))
    .$if(taskIds !== undefined, (q) => q.where('task_id', 'in', oneOf(taskIds)))
    .$if(taskTypes !== undefined, (q) => q.where('task_type', 'in', oneOf(taskTypes)))
    .$if(withoutTypes !== undefined, (q) => q.where('task_type', 'not in', oneOf(withoutTypes)))
    .$if(protocols !== undefined, (q) => q.where('protocol', 'in', oneOf(protocols)))
    .$if(statuses !== undefined, (q) =>
      statuses?.length === 0 ? q.where('task_id', '=', '') : q.where('status', 'in', statuses ?? []),
    )
    .$if(query.createdAfter !== undefined, (q) => q.where('created_at', '>', query.createdAfter ?? ''))
    .$if(query.createdBefore !== undefined, (q) => q.where('created_at', '<', query.createdBefore ?? ''))
    .$if(query.updatedAfter !== undefined, (q) => q.where('updated_at', '>', query.updatedAfter ?? ''))
    .$if(query.updatedBefore !== undefined, (q) => q.where('updated_at', '<', query.updatedBefore ?? ''))
    .$if(hasWebhook !== undefined, (q) => q.where('has_webhook', '=', hasWebhook ? 1 : 0))
    .$if(contains !== undefined && contains !== '', (q) => q.where(holds(contains ?? '')))
}

/** `in ()` is no SQL: a condition that nothing meets asks for what no row has. */
function oneOf(values: readonly string[] = []): readonly string[] {
  return values.length > 0 ? values : ['']
}

/** `replace` shows on both engines alike whether a text contains another; `LIKE` differs in how it treats case. */
function holds(text: string): Expression<SqlBool> {
  const needle = JSON.stringify(text).slice(1, -1)
  return sql<SqlBool>`(replace(request, ${needle}, '') <> request or replace(coalesce(result, ''), ${needle}, '') <> coalesce(result, ''))`
}

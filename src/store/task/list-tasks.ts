import { type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../database.ts'
import { bytesOf, fittingRows } from '../page-size.ts'
import type { Tables } from '../tables.ts'
import type { TaskStatus } from './rows.ts'
import { type StoredTask, storedTaskOf } from './tasks.ts'

export type TaskSortField = 'created_at' | 'updated_at' | 'status' | 'task_type' | 'protocol'

/** What a listing asks for: all of it has to hold. Timestamps are ISO 8601 in UTC, as they are stored. */
export interface TaskQuery {
  readonly taskIds?: readonly string[] | undefined
  readonly taskTypes?: readonly string[] | undefined
  readonly accountId?: string | undefined
  readonly protocols?: readonly string[] | undefined
  readonly statuses?: readonly TaskStatus[] | undefined
  readonly createdAfter?: string | undefined
  readonly createdBefore?: string | undefined
  readonly updatedAfter?: string | undefined
  readonly updatedBefore?: string | undefined
  readonly hasWebhook?: boolean | undefined
  /** Text in what a task is found by, upper and lower case distinguished. */
  readonly contains?: string | undefined
}

/** Keyset position: the sort value of the last task shown, and its id. */
export type TaskPosition = readonly [value: string, taskId: string]

export interface ListedTask {
  readonly task: StoredTask
  readonly position: TaskPosition
}

/** A page of tasks, and how many match in all. */
export interface TaskPage {
  readonly tasks: readonly ListedTask[]
  /** Whether there are more. */
  readonly isCut: boolean
  readonly counts: TaskCounts
}

export interface TaskCounts {
  readonly total: number
  readonly byStatus: ReadonlyMap<TaskStatus, number>
  readonly byProtocol: ReadonlyMap<string, number>
}

/** Tasks that are looked at in one turn, some ten milliseconds: what is searched of a task has thousands of characters. */
const PART = { listed: 2_000, searched: 250 }

/**
 * A principal's tasks in the given order, `limit` at most, fewer where they are large, after a position; and how many match, by status and by protocol.
 * All of its tasks are looked through, in parts, with turns for others: only what is shown is read whole.
 */
export async function listTasks(
  db: Db,
  owner: PrincipalRef,
  query: TaskQuery,
  sort: { readonly field: TaskSortField; readonly direction: 'asc' | 'desc' },
  page: { readonly after: TaskPosition | undefined; readonly limit: number },
): Promise<TaskPage> {
  const sign = sort.direction === 'asc' ? 1 : -1
  const byPosition = (a: TaskPosition, b: TaskPosition) => sign * comparePositions(a, b)
  const byStatus = new Map<TaskStatus, number>()
  const byProtocol = new Map<string, number>()
  let [total, first]: [number, TaskPosition[]] = [0, []]
  for (let part: TaskPart | undefined = {}; part; ) {
    const last: string | undefined = await endOfPart(db, owner, query, part)
    const rows = await matching(db, owner, query, { ...part, last }).execute()
    for (const row of rows) {
      byStatus.set(row.status, (byStatus.get(row.status) ?? 0) + 1)
      byProtocol.set(row.protocol, (byProtocol.get(row.protocol) ?? 0) + 1)
      const position: TaskPosition = [row[sort.field], row.task_id]
      if (!page.after || byPosition(position, page.after) > 0) first.push(position)
    }
    total += rows.length
    first = first.sort(byPosition).slice(0, page.limit + 1)
    part = last === undefined ? undefined : { after: last }
    if (part) await yieldToEventLoop()
  }
  const tasks = await readFitting(db, owner, first.slice(0, page.limit))
  return { tasks, isCut: first.length > tasks.length, counts: { total, byStatus, byProtocol } }
}

function comparePositions([a, idOfA]: TaskPosition, [b, idOfB]: TaskPosition): number {
  if (a !== b) return a < b ? -1 : 1
  return idOfA < idOfB ? -1 : idOfA > idOfB ? 1 : 0
}

/** The first tasks at these positions: no more of them than are read at once. */
async function readFitting(db: Db, owner: PrincipalRef, positions: readonly TaskPosition[]): Promise<readonly ListedTask[]> {
  const { tenantId, principalId } = owner
  const own = (ids: readonly string[]) =>
    db
      .selectFrom('tasks')
      .where('tenant_id', '=', tenantId)
      .where('principal_id', '=', principalId)
      .where('task_id', 'in', oneOf(ids))
  const sizes = await own(positions.map(([, taskId]) => taskId))
    .select(['task_id', bytesOf('request', 'result').as('bytes')])
    .execute()
  const bytes = new Map(sizes.map((row) => [row.task_id, row.bytes]))
  const fitting = positions.slice(0, fittingRows(positions.map(([, taskId]) => bytes.get(taskId) ?? 0)))
  const rows = await own(fitting.map(([, taskId]) => taskId))
    .selectAll()
    .execute()
  const tasks = new Map(rows.map((row) => [row.task_id, storedTaskOf(row)]))
  return fitting.flatMap((position) => {
    const task = tasks.get(position[1])
    return task ? [{ task, position }] : []
  })
}

/** Tasks of one buyer by their ids: behind one, up to another. */
interface TaskPart {
  readonly after?: string | undefined
  readonly last?: string | undefined
}

/** The id at which the part ends that begins behind another; undefined: with the last task. */
async function endOfPart(db: Db, owner: PrincipalRef, { contains }: TaskQuery, { after }: TaskPart) {
  const size = contains ? PART.searched : PART.listed
  const row = await partOf(db, owner, { after }).select('task_id').orderBy('task_id').offset(size).limit(1).executeTakeFirst()
  return row?.task_id
}

function partOf(db: Db, { tenantId, principalId }: PrincipalRef, { after, last }: TaskPart) {
  return db
    .selectFrom('tasks')
    .where('tenant_id', '=', tenantId)
    .where('principal_id', '=', principalId)
    .$if(after !== undefined, (q) => q.where('task_id', '>', after ?? ''))
    .$if(last !== undefined, (q) => q.where('task_id', '<=', last ?? ''))
}

/** The tasks of a part that a query asks for: what `tasks_listed` has of them. */
function matching(db: Db, owner: PrincipalRef, query: TaskQuery, part: TaskPart) {
  const { taskIds, taskTypes, protocols, statuses, hasWebhook, contains } = query
  return partOf(db, owner, part)
    .select(['task_id', 'status', 'protocol', 'task_type', 'created_at', 'updated_at'])
    .$if(query.accountId !== undefined, (q) => q.where('account_id', '=', query.accountId ?? ''))
    .$if(taskIds !== undefined, (q) => q.where('task_id', 'in', oneOf(taskIds)))
    .$if(taskTypes !== undefined, (q) => q.where('task_type', 'in', oneOf(taskTypes)))
    .$if(protocols !== undefined, (q) => q.where('protocol', 'in', oneOf(protocols)))
    .$if(statuses !== undefined, (q) =>
      statuses?.length === 0 ? q.where('task_id', '=', '') : q.where('status', 'in', statuses ?? []),
    )
    .$if(query.createdAfter !== undefined, (q) => q.where('created_at', '>', query.createdAfter ?? ''))
    .$if(query.createdBefore !== undefined, (q) => q.where('created_at', '<', query.createdBefore ?? ''))
    .$if(query.updatedAfter !== undefined, (q) => q.where('updated_at', '>', query.updatedAfter ?? ''))
    .$if(query.updatedBefore !== undefined, (q) => q.where('updated_at', '<', query.updatedBefore ?? ''))
    .$if(hasWebhook !== undefined, (q) => q.where('has_webhook', '=', hasWebhook ? 1 : 0))
    .$if(contains !== undefined && contains !== '', (q) => q.where((e) => e.exists(textWith(e, contains ?? ''))))
}

/** `in ()` is no SQL: a condition that nothing meets asks for what no row has. */
function oneOf(values: readonly string[] = []): readonly string[] {
  return values.length > 0 ? values : ['']
}

/** `replace` shows on both engines alike whether a text contains another; `LIKE` differs in how it treats case. */
function textWith(e: ExpressionBuilder<Tables, 'tasks'>, text: string) {
  return e
    .selectFrom('task_texts as t')
    .select('t.task_id')
    .whereRef('t.tenant_id', '=', 'tasks.tenant_id')
    .whereRef('t.principal_id', '=', 'tasks.principal_id')
    .whereRef('t.task_id', '=', 'tasks.task_id')
    .where(sql<SqlBool>`replace(t.searched, ${text}, '') <> t.searched`)
}

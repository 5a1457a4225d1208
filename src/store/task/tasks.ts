import type { Selectable } from 'kysely'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { searchedText } from '../../domain/task/searched-text.ts'
import { withoutCredentials } from '../../domain/task/without-credentials.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../database.ts'
import type { TaskStatus, TaskTables } from './rows.ts'
import { recordTaskEvent } from './task-events.ts'

/** The first of these that a task reaches stays. */
const TERMINAL: ReadonlySet<TaskStatus> = new Set(['completed', 'canceled', 'failed', 'rejected'])

/** One step in the life of a task. */
export interface TaskChange {
  readonly at: string
  readonly status: TaskStatus
  readonly message?: string
  readonly result?: object
  readonly error?: object
}

/** Work that outlives its call: what the buyer polls by `taskId`. */
export interface StoredTask {
  readonly taskId: string
  readonly accountId: string
  /** Name of the task operation, e.g. `create_media_buy`. */
  readonly taskType: string
  readonly protocol: string
  readonly status: TaskStatus
  readonly message: string | undefined
  readonly request: object
  readonly result: object | undefined
  readonly error: object | undefined
  readonly hasWebhook: boolean
  readonly revision: number
  readonly createdAt: string
  readonly updatedAt: string
  readonly completedAt: string | undefined
}

export interface NewTask {
  readonly taskId: string
  readonly accountId: string
  readonly taskType: string
  readonly protocol: string
  readonly status: TaskStatus
  readonly message?: string
  readonly request: object
  readonly hasWebhook: boolean
}

/** Records a submitted task, its request without credentials. Throws INVALID_STATE when its id is taken. */
export async function insertTask(tx: Db, owner: PrincipalRef, task: NewTask, now: Date): Promise<void> {
  const request = withoutCredentials(task.request)
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('tasks')
    .values({
      tenant_id: owner.tenantId,
      principal_id: owner.principalId,
      task_id: task.taskId,
      account_id: task.accountId,
      task_type: task.taskType,
      protocol: task.protocol,
      status: task.status,
      message: task.message ?? null,
      request: JSON.stringify(request),
      result: null,
      error: null,
      has_webhook: task.hasWebhook ? 1 : 0,
      revision: 1,
      created_at: now.toISOString(),
      updated_at: now.toISOString(),
      completed_at: null,
    })
    .onConflict((c) => c.doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows !== 1n) throw new AdcpError('INVALID_STATE', `task ${task.taskId} exists already`)
  await writeSearched(tx, owner, task.taskId, [request])
  const { status, message } = task
  await recordChange(tx, owner, task.taskId, 1, { status, ...(message !== undefined && { message }) }, now)
}

/** One of the principal's own tasks. Throws REFERENCE_NOT_FOUND for an absent one and for another's alike. */
export async function getTask(db: Db, owner: PrincipalRef, taskId: string): Promise<StoredTask> {
  const task = await findTask(db, owner, taskId)
  if (!task) throw noSuchTask()
  return task
}

/** The refusal of a task that is not there, or not for the caller to see. `hint` ends its sentence. */
export function noSuchTask(hint = '; list_tasks lists them'): AdcpError {
  return new AdcpError('REFERENCE_NOT_FOUND', `there is no such task of yours${hint}`, { field: 'task_id' })
}

/** A task of the agent; undefined when it has none of this id. */
export async function findTask(db: Db, owner: PrincipalRef, taskId: string): Promise<StoredTask | undefined> {
  const row = await db
    .selectFrom('tasks')
    .selectAll()
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('task_id', '=', taskId)
    .executeTakeFirst()
  return row && storedTaskOf(row)
}

/**
 * Changes the status of a task and notifies its subscribers in the same transaction. The first terminal state wins: a later change answers with the
 * task as it is.
 * Compare-and-set on the revision, so that two finishers cannot both win.
 */
export async function advanceTask(
  tx: Db,
  owner: PrincipalRef,
  task: StoredTask,
  change: Omit<TaskChange, 'at'>,
  now: Date,
): Promise<StoredTask> {
  if (TERMINAL.has(task.status)) return task
  const row = await tx
    .updateTable('tasks')
    .set({
      status: change.status,
      result: change.result ? JSON.stringify(change.result) : null,
      error: change.error ? JSON.stringify(change.error) : null,
      ...(change.message !== undefined && { message: change.message }),
      revision: task.revision + 1,
      updated_at: now.toISOString(),
      completed_at: TERMINAL.has(change.status) ? now.toISOString() : null,
    })
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('task_id', '=', task.taskId)
    .where('revision', '=', task.revision)
    .returningAll()
    .executeTakeFirst()
  if (!row) return getTask(tx, owner, task.taskId)
  const changed = storedTaskOf(row)
  if (change.result) await writeSearched(tx, owner, changed.taskId, [task.request, change.result])
  await recordChange(tx, owner, changed.taskId, changed.revision, change, now)
  await recordTaskEvent(tx, owner, changed, now)
  return changed
}

/** Writes what a search looks at of a task: of its request, and of its result once there is one. */
async function writeSearched(tx: Db, owner: PrincipalRef, taskId: string, documents: readonly object[]): Promise<void> {
  const searched = documents.map(searchedText).join('\n')
  await tx
    .insertInto('task_texts')
    .values({ tenant_id: owner.tenantId, principal_id: owner.principalId, task_id: taskId, searched })
    .onConflict((c) => c.columns(['tenant_id', 'principal_id', 'task_id']).doUpdateSet({ searched }))
    .execute()
}

async function recordChange(
  tx: Db,
  owner: PrincipalRef,
  taskId: string,
  revision: number,
  change: Omit<TaskChange, 'at'>,
  now: Date,
): Promise<void> {
  await tx
    .insertInto('task_changes')
    .values({
      tenant_id: owner.tenantId,
      principal_id: owner.principalId,
      task_id: taskId,
      revision,
      at: now.toISOString(),
      document: JSON.stringify(change),
    })
    .execute()
}

/** What became of tasks so far, oldest first, by task id. */
export async function changesOfTasks(
  db: Db,
  owner: PrincipalRef,
  taskIds: readonly string[],
): Promise<ReadonlyMap<string, readonly TaskChange[]>> {
  const rows = await db
    .selectFrom('task_changes')
    .selectAll()
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('task_id', 'in', taskIds.length > 0 ? taskIds : [''])
    .orderBy('revision')
    .execute()
  const changes = new Map<string, TaskChange[]>()
  for (const row of rows) {
    const change: TaskChange = { ...JSON.parse(row.document), at: row.at }
    changes.set(row.task_id, [...(changes.get(row.task_id) ?? []), change])
  }
  return changes
}

/** A row as the rest of the program sees it. */
export function storedTaskOf(row: Selectable<TaskTables['tasks']>): StoredTask {
  return {
    taskId: row.task_id,
    accountId: row.account_id,
    taskType: row.task_type,
    protocol: row.protocol,
    status: row.status,
    message: row.message ?? undefined,
    request: JSON.parse(row.request),
    result: row.result === null ? undefined : JSON.parse(row.result),
    error: row.error === null ? undefined : JSON.parse(row.error),
    hasWebhook: row.has_webhook === 1,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    completedAt: row.completed_at ?? undefined,
  }
}

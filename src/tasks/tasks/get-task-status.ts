import type { AccountReference } from '@adcp/sdk/types'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { accountReference } from '../../protocol/account-reference.ts'
import type { Contract } from '../../protocol/contract.ts'
import type { Contracts } from '../../protocol/contracts.ts'
import { AdcpError, refusalsOf } from '../../protocol/errors.ts'
import { insteadOfOwn } from '../../protocol/nearest-name.ts'
import { findReferencedAccount } from '../../store/account/account-references.ts'
import type { Db } from '../../store/database.ts'
import { listTasks } from '../../store/task/list-tasks.ts'
import { changesOfTasks, findTask, noSuchTask, type StoredTask } from '../../store/task/tasks.ts'
import { presentHistory, presentProgress, presentTask } from './present-task.ts'
import { summarizeTask } from './summaries.ts'

interface GetTaskRequest {
  /** The account of the call that began the task (since 3.1). */
  readonly account?: AccountReference
  readonly task_id: string
  readonly include_history?: boolean
  readonly include_result?: boolean
}

export const getTaskStatus = defineTask<GetTaskRequest>()({
  name: 'get_task_status',
  aliases: ['tasks/get', 'tasks_get'],
  access: 'authenticated',
  scope: 'tasks',
  summary: 'Look up a task that answered `submitted`: its status, progress, and its result once completed.',
  summarize: summarizeTask,
  unknown: async ({ task_id: id }, { db, principal }) => (id === undefined ? [] : refusalsOf(() => namedTask(db, principal, id))),
  async handle(request, context) {
    const { tx, principal, contract, services } = context
    const task = await namedTask(tx, principal, request.task_id)
    await requireAccount(task, request.account, context)
    if (!contract.taskTypes.has(task.taskType)) throw ofLaterRelease(task, contract, services.contracts)
    const progress = presentProgress(task)
    const changes = request.include_history ? await changesOfTasks(tx, principal, [task.taskId]) : new Map()
    return {
      ...presentTask(task),
      ...(progress && { progress }),
      ...(task.result !== undefined && request.include_result !== false && { result: task.result }),
      ...(request.include_history && { history: presentHistory(task, changes.get(task.taskId)) }),
    }
  },
})

/** One of the principal's own tasks. Throws REFERENCE_NOT_FOUND with the newest of them for an absent one and for another's alike. */
async function namedTask(db: Db, principal: PrincipalRef, taskId: string): Promise<StoredTask> {
  const task = await findTask(db, principal, taskId)
  if (!task) throw noSuchTask(await newestTasks(db, principal, taskId))
  return task
}

/** Tasks that an id is compared with. */
const MOST_COMPARED = 20

/** The end of a sentence that refuses the id of a task. */
async function newestTasks(db: Db, principal: PrincipalRef, taskId: string): Promise<string> {
  const sort = { field: 'created_at', direction: 'desc' } as const
  const { tasks } = await listTasks(db, principal, {}, sort, { after: undefined, limit: MOST_COMPARED })
  const own = tasks.map(({ task }) => task.taskId).filter((id) => id !== taskId)
  return insteadOfOwn(taskId, own, { label: 'the newest', elsewhere: 'list_tasks lists them' })
}

/** A task of another account than the named one is hidden like one that does not exist (AdCP 3.1, get_task_status). */
async function requireAccount(
  task: StoredTask,
  named: unknown,
  { tx, principal }: InTransaction<AuthenticatedContext>,
): Promise<void> {
  const reference = accountReference(named)
  if (reference === undefined || task.accountId === '') return
  const account = await findReferencedAccount(tx, principal, reference)
  if (account?.accountId !== task.accountId) throw noSuchTask(await newestTasks(tx, principal, task.taskId))
}

/** The refusal of a task that the release of the answer has no name for, with the first one that has. */
function ofLaterRelease({ taskType }: StoredTask, { line }: Contract, { all }: Contracts): AdcpError {
  const later = all.find(({ taskTypes }) => taskTypes.has(taskType))?.line
  const way = later === undefined ? '' : `: name adcp_version "${later}"`
  return new AdcpError('REFERENCE_NOT_FOUND', `a task of ${taskType} has no name in AdCP ${line}${way}`, { field: 'task_id' })
}

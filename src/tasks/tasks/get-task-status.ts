import type { AccountReference } from '@adcp/sdk/types'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { accountReference } from '../../protocol/account-reference.ts'
import type { Contract } from '../../protocol/contract.ts'
import type { Contracts } from '../../protocol/contracts.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findReferencedAccount } from '../../store/account/account-references.ts'
import { changesOfTasks, getTask, noSuchTask, type StoredTask } from '../../store/task/tasks.ts'
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
  async handle(request, context) {
    const { tx, principal, contract, services } = context
    const task = await getTask(tx, principal, request.task_id)
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

/** A task of another account than the named one is hidden like one that does not exist (AdCP 3.1, get_task_status). */
async function requireAccount(
  task: StoredTask,
  named: unknown,
  { tx, principal }: InTransaction<AuthenticatedContext>,
): Promise<void> {
  const reference = accountReference(named)
  if (reference === undefined || task.accountId === '') return
  const account = await findReferencedAccount(tx, principal, reference)
  if (account?.accountId !== task.accountId) throw noSuchTask()
}

/** The refusal of a task that the release of the answer has no name for, with the first one that has. */
function ofLaterRelease({ taskType }: StoredTask, { line }: Contract, { all }: Contracts): AdcpError {
  const later = all.find(({ taskTypes }) => taskTypes.has(taskType))?.line
  const way = later === undefined ? '' : `: name adcp_version "${later}"`
  return new AdcpError('REFERENCE_NOT_FOUND', `a task of ${taskType} has no name in AdCP ${line}${way}`, { field: 'task_id' })
}

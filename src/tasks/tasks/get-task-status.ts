import { defineTask } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { changesOfTasks, getTask, type StoredTask } from '../../store/task/tasks.ts'
import { presentHistory, presentProgress, presentTask, TYPES_OF_LATER_RELEASES } from './present-task.ts'

interface GetTaskRequest {
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
  async handle(request, { tx, principal, contract }) {
    const task = await getTask(tx, principal, request.task_id)
    if (contract.isBase && TYPES_OF_LATER_RELEASES.includes(task.taskType)) throw ofLaterRelease(task)
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

function ofLaterRelease({ taskType }: StoredTask): AdcpError {
  return new AdcpError('REFERENCE_NOT_FOUND', `a task of ${taskType} can be shown from AdCP 3.1 on; name adcp_version "3.1"`, {
    field: 'task_id',
  })
}

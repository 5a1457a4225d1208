import { defineTask } from '../../pipeline/task.ts'
import { changesOfTasks, getTask } from '../../store/task/tasks.ts'
import { presentHistory, presentProgress, presentTask } from './present-task.ts'

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
  async handle(request, { tx, principal }) {
    const task = await getTask(tx, principal, request.task_id)
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

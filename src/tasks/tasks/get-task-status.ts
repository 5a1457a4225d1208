import { defineTask } from '../../pipeline/task.ts'
import { getTask, type StoredTask } from '../../store/tasks.ts'

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
    return present(await getTask(tx, principal, request.task_id), request)
  },
})

function present(task: StoredTask, request: GetTaskRequest): object {
  const ended = task.completedAt ?? task.updatedAt
  return {
    task_id: task.taskId,
    task_type: task.taskType,
    protocol: task.protocol,
    status: task.status,
    created_at: task.createdAt,
    updated_at: task.updatedAt,
    ...(task.completedAt !== undefined && { completed_at: task.completedAt }),
    has_webhook: task.hasWebhook,
    ...(task.message !== undefined && { message: task.message }),
    ...(task.error !== undefined && { error: task.error }),
    ...(task.result !== undefined && request.include_result !== false && { result: task.result }),
    ...(request.include_history && {
      history: [
        { timestamp: task.createdAt, type: 'request', data: task.request },
        ...(task.result ? [{ timestamp: ended, type: 'response', data: task.result }] : []),
      ],
    }),
  }
}

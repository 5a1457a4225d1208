import type { StoredTask } from '../../store/tasks.ts'

/** What `get_task_status` and `list_tasks` both say of a task (AdCP core/tasks-get-response, core/tasks-list-response). */
export function presentTask(task: StoredTask): object {
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
  }
}

/** Request and, once there is one, result: what `include_history` adds. */
export function presentHistory(task: StoredTask): object[] {
  const ended = task.completedAt ?? task.updatedAt
  return [
    { timestamp: task.createdAt, type: 'request', data: task.request },
    ...(task.result ? [{ timestamp: ended, type: 'response', data: task.result }] : []),
  ]
}

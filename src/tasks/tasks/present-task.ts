import { PROTOCOLS } from '../../domain/webhook/envelope.ts'
import type { TaskStatus } from '../../store/task/rows.ts'
import type { StoredTask, TaskChange } from '../../store/task/tasks.ts'

/** What `get_task_status` and `list_tasks` both say of a task (AdCP core/tasks-get-response, core/tasks-list-response). */
export function presentTask(task: StoredTask): object {
  return {
    task_id: task.taskId,
    task_type: task.taskType,
    // Accounts, which have no protocol of their own, exist for media buys.
    protocol: PROTOCOLS.has(task.protocol) ? task.protocol : 'media-buy',
    status: task.status,
    created_at: task.createdAt,
    updated_at: task.updatedAt,
    ...(task.completedAt !== undefined && { completed_at: task.completedAt }),
    has_webhook: task.hasWebhook,
    ...(task.message !== undefined && { message: task.message }),
    ...(task.error !== undefined && { error: task.error }),
  }
}

/** Steps of work that a person decides on. */
const STEPS: Readonly<Partial<Record<TaskStatus, readonly [step: number, name: string]>>> = {
  submitted: [1, 'waiting for the seller'],
  'input-required': [1, 'waiting for the buyer'],
  working: [2, 'being carried out'],
  completed: [3, 'done'],
}
const TOTAL_STEPS = 3

/** How far a task has come (AdCP core/tasks-get-response, `progress`); nothing for one that ended without a result. */
export function presentProgress({ status }: StoredTask): object | undefined {
  const step = STEPS[status]
  if (!step) return undefined
  const [number, name] = step
  return {
    percentage: Math.round(((number - 1) / (TOTAL_STEPS - 1)) * 100),
    current_step: name,
    step_number: number,
    total_steps: TOTAL_STEPS,
  }
}

/** The request and every answer to it so far, oldest first: what `include_history` adds. */
export function presentHistory(task: StoredTask, changes: readonly TaskChange[] = []): object[] {
  const [first, second] = changes
  // A call that was done at once has a single answer.
  const atOnce = changes.length === 2 && first?.at === second?.at
  const answers = (atOnce ? changes.slice(1) : changes).map((change) => ({
    timestamp: change.at,
    type: 'response',
    data: answerOf(task, change),
  }))
  const ended = task.completedAt ?? task.updatedAt
  // Tasks from before changes were stored.
  const only = answers.length === 0 && task.result ? [{ timestamp: ended, type: 'response', data: task.result }] : answers
  return [{ timestamp: task.createdAt, type: 'request', data: task.request }, ...only]
}

function answerOf({ taskId }: StoredTask, { status, message, result, error }: TaskChange): object {
  if (status === 'completed' && result) return result
  return {
    ...result,
    status,
    task_id: taskId,
    ...(message !== undefined && { message }),
    ...(error && { errors: [error] }),
  }
}

import { cancellationSentence } from '../../domain/media-buy/cancellation-terms.ts'
import { outline } from '../../domain/summary/outline.ts'
import { joined, remaining, summaryText } from '../../domain/summary/summary-text.ts'

interface ListedTask {
  readonly task_id: string
  readonly task_type: string
  readonly status: string
  readonly created_at: string
  readonly updated_at: string
  readonly message?: string
  readonly error?: { readonly message: string }
}

interface Listed {
  readonly tasks: readonly ListedTask[]
  readonly pagination?: { readonly has_more: boolean; readonly cursor?: string; readonly total_count?: number }
}

/** list_tasks: each task with its type, its status and what is said of it. */
export function summarizeTasks({ tasks, pagination }: Listed): string {
  return summaryText({
    head: `${tasks.length} tasks${tasks.length === 0 ? '' : ':'}`,
    rows: tasks.map(({ task_id: id, task_type: type, status, created_at: from, updated_at: at, message, error }) => ({
      full: joined([id, type, status, `since ${from}`, at !== from && `last change ${at}`, error?.message ?? message], '; '),
      brief: joined([id, type, status], '; '),
    })),
    after: [
      remaining(pagination),
      tasks.length > 0 && 'Next: get_task_status with task_id, and include_result for the answer.',
    ].map((line) => line || undefined),
  })
}

/** get_task_status: all of the task with its result, and what cancelling the order that it came to costs. */
export function summarizeTask(task: { readonly result?: { readonly ext?: { readonly terms?: unknown } } }): string {
  return outline(task, cancellationSentence(task.result?.ext?.terms), { isOne: true })
}

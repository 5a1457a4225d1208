import type { Task } from './task.ts'

/**
 * Whether a call changes state: every call of a mutating task, and those calls of the others that write. Decides on scope, read-only grants,
 * the signing policy, rate limits, the audit log and the transaction. `args` may be raw: nothing of them has to be checked before.
 */
export function changesState(task: Pick<Task, 'mutating' | 'writes'> | undefined, args: unknown): boolean {
  if (!task) return false
  return task.mutating || task.writes?.(typeof args === 'object' && args !== null ? args : {}) === true
}

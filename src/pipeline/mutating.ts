import { manifest } from '../protocol/manifest.ts'
import type { Task } from './task.ts'

/** Whether the manifest marks the task as changing state; tasks outside it (polling, directory) only read. */
export function isMutating(task: Pick<Task, 'name'>): boolean {
  return manifest.tools[task.name]?.mutating === true
}

/**
 * Whether a call changes state: every call of a mutating task, and those calls of the others that write. Decides on scope, read-only grants,
 * the signing policy, rate limits, the audit log and the transaction. `args` may be raw: nothing of them has to be checked before.
 */
export function changesState(task: Pick<Task, 'name' | 'writes'> | undefined, args: unknown): boolean {
  if (!task) return false
  return isMutating(task) || task.writes?.(typeof args === 'object' && args !== null ? args : {}) === true
}

import { manifest } from '../protocol/manifest.ts'
import type { Task } from './task.ts'

/** Whether the manifest marks the task as changing state; tasks outside it (polling, directory) only read. */
export function isMutating(task: Pick<Task, 'name'>): boolean {
  return manifest.tools[task.name]?.mutating === true
}

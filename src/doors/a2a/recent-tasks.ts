import type { Task } from 'a2a'
import type { Owner } from '../../store/accounts.ts'

/** Finished calls that can still be asked for, and the bytes of what they gave. */
const MAX_TASKS = 1000
const MAX_BYTES = 16 * 1024 * 1024
/** Longer than a client takes that lost its connection and asks what became of its call. */
const KEEP_MS = 5 * 60_000

/**
 * The last finished calls of known agents, for `tasks/get`. A convenience within one process: a call is over when it is answered, and
 * work that outlives its call is a stored task with an id of its own.
 */
export interface RecentTasks {
  keep(owner: Owner, task: Task, now: Date): void
  /** The owner's own; another's is as if it had never been. */
  find(owner: Owner, id: string, now: Date): Task | undefined
}

interface Kept {
  readonly task: Task
  readonly bytes: number
  readonly until: number
}

export function createRecentTasks(): RecentTasks {
  const kept = new Map<string, Kept>()
  let total = 0

  const drop = (key: string, { bytes }: Kept) => {
    kept.delete(key)
    total -= bytes
  }
  return {
    keep(owner, task, now) {
      const bytes = JSON.stringify(task).length
      if (bytes > MAX_BYTES / 16) return
      kept.set(keyOf(owner, task.id), { task, bytes, until: now.getTime() + KEEP_MS })
      total += bytes
      for (const [key, oldest] of kept) {
        if (kept.size <= MAX_TASKS && total <= MAX_BYTES && oldest.until > now.getTime()) break
        drop(key, oldest)
      }
    },
    find(owner, id, now) {
      const found = kept.get(keyOf(owner, id))
      return found && found.until > now.getTime() ? found.task : undefined
    },
  }
}

function keyOf({ tenantId, principalId }: Owner, id: string): string {
  return JSON.stringify([tenantId, principalId, id])
}

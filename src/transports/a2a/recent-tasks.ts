import { Task } from 'a2a'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { AnswerSeal } from '../../security/secrets/sealed-answer.ts'
import type { Store } from '../../store/database.ts'
import { callPlace } from '../../store/task/answer-place.ts'
import { findAnsweredCall, keepAnsweredCall } from '../../store/task/answered-calls.ts'

/** Finished calls that can still be asked for, and the bytes of what they gave. */
const MAX_TASKS = 1000
const MAX_BYTES = 16 * 1024 * 1024
/** Ids of calls; those of work that waits are the store's own. */
export const CALL_PREFIX = 'a2a_'
/** Longer than a client takes that lost its connection and asks what became of its call. */
export const KEEP_MINUTES = 5
const KEEP_MS = KEEP_MINUTES * 60_000

/**
 * The last finished calls of known agents, for `tasks/get`. A call is over when it is answered, and work that outlives its call is a stored task with
 * an id of its own. What changed something can be asked for at every process of the deployment; what only read is remembered where it was
 * answered, because it can be asked anew.
 */
export interface RecentTasks {
  keep(owner: PrincipalRef, task: Task, now: Date, options: { readonly changes: boolean }): Promise<void>
  /** The owner's own; another's is as if it had never been. */
  find(owner: PrincipalRef, id: string, now: Date): Promise<Task | undefined>
}

interface RecentTask {
  readonly task: Task
  readonly bytes: number
  readonly until: number
}

export function createRecentTasks(store: Pick<Store, 'read' | 'transaction'>, seal: AnswerSeal): RecentTasks {
  const tasks = new Map<string, RecentTask>()
  let total = 0

  const drop = (key: string, { bytes }: RecentTask) => {
    tasks.delete(key)
    total -= bytes
  }
  return {
    async keep(owner, task, now, { changes }) {
      const answer = await seal.write(Task.toJSON(task), callPlace(owner, task.id))
      const bytes = answer.length
      if (bytes > MAX_BYTES / 16) return
      const until = now.getTime() + KEEP_MS
      tasks.set(callPlace(owner, task.id), { task, bytes, until })
      total += bytes
      for (const [key, oldest] of tasks) {
        if (tasks.size <= MAX_TASKS && total <= MAX_BYTES && oldest.until > now.getTime()) break
        drop(key, oldest)
      }
      const times = { now, expiresAt: new Date(until) }
      if (!changes) return
      // A convenience that need not outlive a crash of the machine: it waits for no disk.
      await store.transaction((tx) => keepAnsweredCall(tx, owner, { id: task.id, answer }, times), {
        isolation: 'statement',
        durability: 'lazy',
      })
    },
    async find(owner, id, now) {
      const found = tasks.get(callPlace(owner, id))
      if (found) return found.until > now.getTime() ? found.task : undefined
      if (!id.startsWith(CALL_PREFIX)) return undefined
      const answer = await findAnsweredCall(store.read, owner, id, now)
      return answer === undefined ? undefined : Task.fromJSON(await seal.read(answer, callPlace(owner, id)))
    },
  }
}

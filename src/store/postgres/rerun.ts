import { setTimeout as sleep } from 'node:timers/promises'
import { CommitUnknown } from '../database.ts'
import { StoreUnavailable } from '../store-unavailable.ts'
import { faultOf, type PostgresFault } from './postgres-errors.ts'

/** How often work runs by what went wrong. A lost connection is replaced once, since the next one shows whether the database is there. */
const RUNS: Readonly<Record<Exclude<PostgresFault, 'contention'>, number>> = { duplicate: 2, 'stale-plan': 3, away: 2, other: 1 }

/** Runs that compete with all others; work that lost as often waits in a queue. */
const FREE_RUNS = 3

/** Upper bounds of the pause before another run: full jitter, doubled each time, so that competitors do not meet again. */
const FIRST_PAUSE_MS = 4
const LONGEST_PAUSE_MS = 250
/** That of the first in the queue, which others wait for. */
const QUEUED_PAUSE_MS = 8

export interface RerunOptions {
  /** From the first run on, how long work that loses against others is run again (default 25 s: within the patience of callers). */
  readonly patienceMs?: number
}

/**
 * Gives a function that runs work again while it fails for reasons that another run can mend; nothing of a failed run may have been committed.
 * Of transactions that conflict, PostgreSQL always commits one, so only time limits how often work that lost runs again: after three
 * runs in a queue, one at a time. What waits there holds no connection, and the first competes with newcomers alone. Throws
 * SERVICE_UNAVAILABLE when the time is over.
 */
export function createRerun({ patienceMs = 25_000 }: RerunOptions = {}): <T>(run: () => Promise<T>) => Promise<T> {
  const join = createQueue()
  return async (run) => {
    const endsAt = performance.now() + patienceMs
    const failures: Record<PostgresFault, number> = { contention: 0, duplicate: 0, 'stale-plan': 0, away: 0, other: 0 }
    let leave: (() => void) | undefined
    try {
      for (let runs = 1; ; runs++) {
        try {
          return await run()
        } catch (error) {
          if (error instanceof CommitUnknown) throw error
          const fault = faultOf(error instanceof StoreUnavailable ? error.cause : error)
          failures[fault] += 1
          if (fault !== 'contention') {
            if (failures[fault] >= RUNS[fault]) throw error
          } else if (performance.now() >= endsAt) {
            throw new StoreUnavailable('too many calls change the same at once', error)
          }
        }
        if (failures.contention >= FREE_RUNS) leave ??= await join()
        await sleep(Math.random() * (leave ? QUEUED_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** runs)))
      }
    } finally {
      leave?.()
    }
  }
}

/** A queue: joining resolves when all that joined before have left, with the function that leaves it. */
function createQueue(): () => Promise<() => void> {
  let last: Promise<void> = Promise.resolve()
  return async () => {
    const before = last
    let leave = () => {}
    last = new Promise((resolve) => {
      leave = resolve
    })
    await before
    return leave
  }
}

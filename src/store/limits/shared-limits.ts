import type { FailureMemory } from '../../domain/identity/failure-memory.ts'
import type { Counters } from '../../platform/net/rate-limit.ts'
import { sharedFailureMemory, sweepFailures } from '../identity/auth-failures.ts'
import type { PostgresStore } from '../postgres/postgres.ts'
import type { SqliteStore } from '../sqlite/sqlite.ts'
import { sharedCounters, sweepCounters } from './shared-counters.ts'

/** Where limits are counted. */
export interface SharedLimits {
  /** Undefined: in the process, or by the one that started it. */
  readonly counters: Counters | undefined
  /** Undefined: in the process, which is the only one on its store. */
  readonly failures: FailureMemory | undefined
  /** Drops what is over. */
  sweep(now: Date): Promise<void>
}

/**
 * The limits of a store: processes that share a database share their counts. The workers of one machine (`isWorker`) remember failures in their file;
 * their calls are counted by the process that started them, see `workerCounters`.
 */
export function sharedLimits(store: SqliteStore | PostgresStore, isWorker: boolean): SharedLimits {
  if (store.engine === 'sqlite') {
    if (!isWorker) return { counters: undefined, failures: undefined, sweep: async () => {} }
    return {
      counters: undefined,
      failures: sharedFailureMemory(store),
      sweep: (now) => store.transaction((tx) => sweepFailures(tx, now)),
    }
  }
  return {
    counters: sharedCounters(store),
    failures: sharedFailureMemory(store),
    sweep: (now) =>
      store.transaction(
        async (tx) => {
          await sweepCounters(tx, now)
          await sweepFailures(tx, now)
        },
        { isolation: 'statement' },
      ),
  }
}

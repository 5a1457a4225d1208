import type { FailureMemory } from '../auth/failure-memory.ts'
import type { Counters } from '../net/rate-limit.ts'
import { sharedFailureMemory, sweepFailures } from './auth-failures.ts'
import type { PostgresStore } from './postgres.ts'
import { sharedCounters, sweepCounters } from './shared-counters.ts'
import type { SqliteStore } from './sqlite.ts'

/** Where limits are counted. */
export interface SharedLimits {
  /** Undefined: in the process, which is the only one on its store. */
  readonly counters: Counters | undefined
  readonly failures: FailureMemory | undefined
  /** Drops what is over. */
  sweep(now: Date): Promise<void>
}

/** The limits of a store: processes that share a database share their counts. */
export function sharedLimits(store: SqliteStore | PostgresStore): SharedLimits {
  if (store.engine === 'sqlite') return { counters: undefined, failures: undefined, sweep: async () => {} }
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

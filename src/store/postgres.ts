import { setTimeout as sleep } from 'node:timers/promises'
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import type { Db, Store, TransactionOptions } from './database.ts'
import { CommitUnknown, migrate, refuseNewerSchema } from './database.ts'
import { faultOf, type PostgresFault, StoreUnavailable } from './postgres-errors.ts'
import { CALL_LIMITS, kyselyPool, openPool, PATIENT_LIMITS } from './postgres-pool.ts'
import type { Tables } from './tables.ts'

export interface PostgresOptions {
  /** Connections of this process (default 10). */
  readonly connections?: number
  /** False: leaves the schema as it is (default true). */
  readonly migrate?: boolean
}

/** A store in PostgreSQL. */
export interface PostgresStore extends Store {
  readonly engine: 'postgres'
  readonly pool: pg.Pool
  /** For counters, which may lose their last moments when the database crashes: their commits wait for no disk. */
  readonly countersPool: pg.Pool
}

/** A count is one short statement, and calls that wait for theirs wait for nothing else. */
const COUNTER_CONNECTIONS = 2

/** How long a commit of another process may go unseen by whoever relies on marks: a revoked key works for a quarter second longer. */
const MARK_MS = 250

/** A store that does not answer this quickly is no place to send calls to. */
const PING_MS = 2_000

/**
 * Opens a PostgreSQL database by connection string; its schema is brought up to date, under a lock, so that any number of
 * processes may start at once. Throws CONFIGURATION_ERROR when the schema is newer than this program.
 */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<PostgresStore> {
  if (options.migrate !== false) await migratePostgres(url)
  const pool = openPool(url, { connections: options.connections ?? 10, ...CALL_LIMITS })
  const countersPool = openPool(url, { connections: COUNTER_CONNECTIONS, ...CALL_LIMITS, lazyCommits: true })
  const db: Db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: kyselyPool(pool) }) })
  let commits = 0
  return {
    engine: 'postgres',
    pool,
    countersPool,
    read: db,
    // The clock of the machine, not of the program: a mark is about how old what was read may be.
    mark: () => `${commits} ${Math.floor(performance.now() / MARK_MS)}`,
    transaction: (work, { isolation = 'serializable' }: TransactionOptions = {}) =>
      again(() => (isolation === 'statement' ? work(db) : once(db, isolation, work))).finally(() => {
        commits++
      }),
    async ping() {
      const late = sleep(PING_MS, undefined, { ref: false }).then(() => {
        throw new Error(`no answer within ${PING_MS} ms`)
      })
      await Promise.race([pool.query('SELECT 1'), late])
    },
    async close() {
      await countersPool.end()
      await db.destroy()
    },
  }
}

/** Brings the schema to the newest version on a connection without time limits. Gives the names applied now. */
export async function migratePostgres(url: string): Promise<string[]> {
  const pool = openPool(url, PATIENT_LIMITS)
  const db: Db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: kyselyPool(pool) }) })
  try {
    await refuseNewerSchema(db)
    return await migrate(db)
  } finally {
    await db.destroy()
  }
}

/**
 * How often work is run again by what went wrong. Under contention one of the competitors always gets through, so the number grows
 * with how many there are; a lost connection is replaced once, since the next one tells whether the database is there.
 */
const RUNS: Readonly<Record<PostgresFault, number>> = { contention: 12, duplicate: 2, 'stale-plan': 3, away: 2, other: 1 }

/** Upper bounds of the pause before another run: full jitter, doubled each time, so that competitors do not meet again. */
const FIRST_PAUSE_MS = 4
const LONGEST_PAUSE_MS = 250

/** Runs work again while it fails for reasons that another run can mend. Nothing of a failed run was committed. */
async function again<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (error instanceof CommitUnknown) throw error
      const fault = faultOf(error instanceof StoreUnavailable ? error.cause : error)
      if (attempt >= RUNS[fault]) {
        if (fault === 'contention') throw new StoreUnavailable('too many calls change the same at once', error)
        throw error
      }
      await sleep(Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt))
    }
  }
}

/**
 * One transaction. Throws CommitUnknown when the connection was lost while it committed. Not Kysely's own transaction: that one keeps
 * its connection for ever when a commit fails.
 */
function once<T>(db: Db, isolation: 'serializable' | 'read-committed', work: (tx: Db) => Promise<T>): Promise<T> {
  return db.connection().execute(async (tx) => {
    await tx.executeQuery(BEGIN[isolation])
    let result: T
    try {
      result = await work(tx)
    } catch (error) {
      // A connection that is gone has rolled back by itself; what matters is why.
      await tx.executeQuery(ROLLBACK).catch(() => {})
      throw error
    }
    try {
      await tx.executeQuery(COMMIT)
    } catch (error) {
      if (error instanceof StoreUnavailable) throw new CommitUnknown(error)
      throw error
    }
    return result
  })
}

const BEGIN = {
  serializable: CompiledQuery.raw('start transaction isolation level serializable'),
  'read-committed': CompiledQuery.raw('start transaction isolation level read committed'),
} as const
const COMMIT = CompiledQuery.raw('commit')
const ROLLBACK = CompiledQuery.raw('rollback')

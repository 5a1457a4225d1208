import { setTimeout as sleep } from 'node:timers/promises'
import { type CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import type { ChangeOrigin } from '../../domain/account/account-change.ts'
import type { Db, PoolUse, Store, TransactionOptions } from '../database.ts'
import { CommitUnknown, migrate, refuseOtherSchema } from '../database.ts'
import { HotStatement } from '../hot-query.ts'
import { kyselyOver } from '../kysely-over.ts'
import { StoreUnavailable } from '../store-unavailable.ts'
import type { Tables } from '../tables.ts'
import { PooledStatements, type PostgresConnection, StatementNames } from './postgres-connection.ts'
import { postgresDamage } from './postgres-damage.ts'
import { asStoreError } from './postgres-errors.ts'
import { PostgresPipes } from './postgres-pipes.ts'
import { CALL_LIMITS, openPool, PATIENT_LIMITS } from './postgres-pool.ts'
import { postgresWriteFault } from './postgres-write-fault.ts'
import { createRerun } from './rerun.ts'

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

/** How long a cache may miss a commit of another process: a revoked key works for up to a quarter of a second longer. */
const VERSION_MS = 250

/** Short statements that need no transaction share these: two, since the statements of one connection run one after the other. */
const PIPES = 2

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
  const names = new StatementNames()
  const pipes = new PostgresPipes(openPool(url, { connections: PIPES, ...CALL_LIMITS, lazyCommits: true }), names, PIPES)
  const over = kyselyOver('postgres')
  const pooled = new PooledStatements(pool, names)
  // Reads are durable whatever the connection; what changes something goes here only when it may be lazy.
  const sharing = {
    executeQuery: <R>(query: CompiledQuery) =>
      query instanceof HotStatement ? pipes.run<R>(query) : pooled.executeQuery<R>(query),
    streamQuery: () => pooled.streamQuery(),
  }
  const begin = async (origin: ChangeOrigin | undefined) => {
    const connection = await pooled.connect()
    return { connection, tx: over(connection, origin) }
  }
  const rerun = createRerun()
  let commits = 0
  return {
    engine: 'postgres',
    pool,
    countersPool,
    read: over(sharing),
    // The monotonic clock, not the program's: the version bounds the age of what was read.
    dataVersion: () => `${commits} ${Math.floor(performance.now() / VERSION_MS)}`,
    transaction: (work, { isolation = 'serializable', durability, origin }: TransactionOptions = {}) =>
      rerun(() => {
        if (isolation !== 'statement') return once(() => begin(origin), isolation, work)
        return work(over(durability === 'lazy' ? sharing : pooled, origin))
      }).finally(() => {
        commits++
      }),
    async ping() {
      const late = sleep(PING_MS, undefined, { ref: false }).then(() => {
        throw new Error(`no answer within ${PING_MS} ms`)
      })
      await Promise.race([pool.query('SELECT 1'), late])
    },
    writeFault: () => postgresWriteFault(pool),
    findDamage: () => postgresDamage(pool),
    pools: () => [useOf('calls', pool), useOf('counters', countersPool)],
    async close() {
      await countersPool.end()
      await pipes.close()
      await pool.end()
    },
  }
}

function useOf(name: PoolUse['pool'], { totalCount, idleCount, waitingCount, options }: pg.Pool): PoolUse {
  // The pool hands an idle connection over a tick after it was asked for; a caller that gets one does not wait.
  const waiting = Math.max(0, waitingCount - idleCount)
  return { pool: name, busy: totalCount - idleCount, idle: idleCount, waiting, limit: options.max }
}

/** Brings the schema to the newest version on a connection without time limits. Gives the names applied now. */
export async function migratePostgres(url: string): Promise<string[]> {
  return changePostgres(url, async (db) => {
    await refuseOtherSchema(db)
    return migrate(db)
  })
}

/** Runs work on a database, whatever the version of its schema, on a connection without time limits. */
export async function changePostgres<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const pool = openPool(url, PATIENT_LIMITS)
  const db: Db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  try {
    return await work(db)
  } catch (error) {
    throw asStoreError(error)
  } finally {
    await db.destroy()
  }
}

/** A connection of the pool, and a query builder over it. */
interface Begun {
  readonly connection: PostgresConnection
  readonly tx: Db
}

/** One transaction. Throws CommitUnknown when the connection was lost while it committed. */
async function once<T>(
  connect: () => Promise<Begun>,
  isolation: 'serializable' | 'read-committed',
  work: (tx: Db) => Promise<T>,
): Promise<T> {
  const { connection, tx } = await connect()
  try {
    await connection.control(BEGIN[isolation])
    let result: T
    try {
      result = await work(tx)
    } catch (error) {
      // A connection that is gone has rolled back by itself; what matters is why.
      await connection.control('rollback').catch(() => {})
      throw error
    }
    try {
      await connection.control('commit')
    } catch (error) {
      if (error instanceof StoreUnavailable) throw new CommitUnknown(error)
      throw error
    }
    return result
  } finally {
    connection.release()
  }
}

const BEGIN = {
  serializable: 'start transaction isolation level serializable',
  'read-committed': 'start transaction isolation level read committed',
} as const

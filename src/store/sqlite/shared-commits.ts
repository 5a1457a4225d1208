import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../database.ts'
import { StoreUnavailable } from '../store-unavailable.ts'
import { type SqliteDatabase, type SqliteStatement, sqliteFault } from './sqlite-driver.ts'

interface Job {
  readonly run: () => Promise<() => void>
  readonly fail: (error: unknown) => void
  readonly isLazy: boolean
}

/**
 * A commit costs one fsync whatever it holds, so transactions that are waiting at the same moment share one. 64 keeps the wait of
 * the first below a few milliseconds.
 */
const MAX_SHARED_COMMIT = 64

/**
 * Milliseconds of work after which a commit takes no further transaction: others wait no longer, and what it writes down in one piece does not grow with the number
 * of large transactions (twenty of ten megabytes: 900 ms in one turn of the event loop).
 */
const MOST_SHARED_MS = 50

/** Measured at 16 connections: two take an eighth of the processor time of a purchase off, signed or not; at one connection none. */
const TICKS_BEFORE_COMMIT = 2

/** About what a shared commit of another process takes; with jitter, so that two that wait do not meet again. */
const BUSY_PAUSE_MS = 2

/**
 * SQLite keeps no queue of processes that wait for the lock, and between two commits of a busy process it is free for less than a millisecond. So a process that has
 * committed for the first of these times pauses for the second, in which a waiting process looks twice.
 */
const [KEPT_MS, LEFT_MS] = [500, 2 * BUSY_PAUSE_MS]

export interface SharedCommitsOptions {
  /** How long to wait for other processes that write. */
  readonly patienceMs: number
  /** Called after each commit, before any caller gets its result. */
  readonly committed: () => void
  /** Until when no transaction may begin. It does not reject. */
  readonly pause?: () => Promise<unknown> | undefined
}

/** The result of one job: given once its commit is done. */
type Settle = () => void

/** Serialises transactions on the one writing connection of a process and lets those that wait together share a commit. */
export class SharedCommits {
  readonly #connection: SqliteDatabase
  readonly #options: SharedCommitsOptions
  readonly #begin: SqliteStatement<unknown>
  readonly #commit: SqliteStatement<unknown>
  readonly #rollback: SqliteStatement<unknown>
  readonly #savepoint: SqliteStatement<unknown>
  readonly #rollbackTo: SqliteStatement<unknown>
  readonly #release: SqliteStatement<unknown>
  readonly #queue: Job[] = []
  #running: Promise<void> | undefined
  #isLazy = false

  /** The connection must not wait for other processes by itself: that would stop this one. */
  constructor(connection: SqliteDatabase, options: SharedCommitsOptions) {
    this.#connection = connection
    this.#options = options
    this.#begin = connection.prepare('BEGIN IMMEDIATE')
    this.#commit = connection.prepare('COMMIT')
    this.#rollback = connection.prepare('ROLLBACK')
    this.#savepoint = connection.prepare('SAVEPOINT one')
    this.#rollbackTo = connection.prepare('ROLLBACK TO one')
    this.#release = connection.prepare('RELEASE one')
  }

  /** Runs work in a transaction; `isLazy`: its commit need not wait for the disk. */
  add<T>(tx: Db, work: (tx: Db) => Promise<T>, isLazy: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({
        run: async () => {
          const value = await work(tx)
          return () => resolve(value)
        },
        fail: reject,
        isLazy,
      })
      this.#running ??= this.#drain()
    })
  }

  async idle(): Promise<void> {
    while (this.#running) await this.#running
  }

  async #drain(): Promise<void> {
    // One turn of the event loop lets requests that were read together queue up together, the next one those that have come meanwhile: the
    // work of a commit is shared by more, and a loop that has nothing else to do turns within microseconds.
    for (let turn = 0; turn < TICKS_BEFORE_COMMIT; turn++) await new Promise((next) => setImmediate(next))
    let keptSince = performance.now()
    try {
      while (this.#queue.length > 0) {
        await this.#commitTogether()
        if (this.#queue.length === 0 || performance.now() - keptSince < KEPT_MS) continue
        await sleep(LEFT_MS)
        keptSince = performance.now()
      }
    } finally {
      // In the same turn as the last look at the queue: a job that arrives later starts a drain of its own.
      this.#running = undefined
    }
  }

  async #commitTogether(): Promise<void> {
    let jobs: readonly Job[] = []
    try {
      await this.#options.pause?.()
      await this.#lock()
      // What arrived while another process held the lock shares the commit too.
      jobs = this.#take()
      const settled = (await this.#runTogether(jobs)) ?? (await this.#runApart(jobs))
      this.#queue.unshift(...jobs.slice(settled.length))
      jobs = jobs.slice(0, settled.length)
      this.#commit.run([])
      this.#options.committed()
      for (const settle of settled) settle()
    } catch (error) {
      if (this.#connection.inTransaction) this.#rollback.run([])
      for (const job of jobs.length > 0 ? jobs : this.#take()) job.fail(error)
    }
  }

  /** Runs jobs that nearly always succeed, as many as a commit takes. Undefined when one of them failed: then everything is rolled back. */
  async #runTogether(jobs: readonly Job[]): Promise<Settle[] | undefined> {
    const done: Settle[] = []
    const isFull = fullAfter(MOST_SHARED_MS)
    try {
      for (const job of jobs) {
        if (isFull()) break
        done.push(await job.run())
      }
      return done
    } catch (error) {
      // A commit of one job has no other work to save.
      if (jobs.length === 1) throw error
      this.#rollback.run([])
      await this.#patiently(() => {})
      return undefined
    }
  }

  /**
   * Runs jobs of which one fails again, as many as a commit takes, each in a savepoint: for that SQLite copies each page that a job changes, in the end to a
   * file of its own.
   */
  async #runApart(jobs: readonly Job[]): Promise<Settle[]> {
    const done: Settle[] = []
    const isFull = fullAfter(MOST_SHARED_MS)
    for (const job of jobs) {
      if (isFull()) break
      this.#savepoint.run([])
      try {
        done.push(await job.run())
      } catch (error) {
        this.#rollbackTo.run([])
        done.push(() => job.fail(error))
      }
      this.#release.run([])
    }
    return done
  }

  /** Begins a transaction of the waiting jobs. Throws StoreUnavailable when other processes keep the lock too long. */
  #lock(): Promise<void> {
    // Not to be changed inside a transaction. SQLite: in WAL mode a NORMAL commit is not synced, and the next FULL one syncs it too.
    return this.#patiently(() => this.#setLazy(this.#queue.every(({ isLazy }) => isLazy)))
  }

  /** Begins a transaction, `first` before each attempt; lets the event loop turn while another process has one. */
  async #patiently(first: () => void): Promise<void> {
    const deadline = performance.now() + this.#options.patienceMs
    for (;;) {
      first()
      try {
        this.#begin.run([])
        return
      } catch (error) {
        if (sqliteFault(error) !== 'busy') throw error
        if (performance.now() >= deadline) throw keptByOthers(this.#options.patienceMs, error)
      }
      await sleep(BUSY_PAUSE_MS * (0.5 + Math.random()))
    }
  }

  #setLazy(isLazy: boolean): void {
    if (this.#isLazy === isLazy) return
    this.#connection.exec(`PRAGMA synchronous = ${isLazy ? 'NORMAL' : 'FULL'}`)
    this.#isLazy = isLazy
  }

  /** The jobs of the next commit: of a lazy one those that asked for it. */
  #take(): readonly Job[] {
    const durable = this.#isLazy ? this.#queue.findIndex(({ isLazy }) => !isLazy) : -1
    return this.#queue.splice(0, durable < 0 ? MAX_SHARED_COMMIT : Math.min(durable, MAX_SHARED_COMMIT))
  }
}

function keptByOthers(patienceMs: number, cause: unknown): StoreUnavailable {
  const situation = `other processes have kept the store from being written to for ${patienceMs / 1_000} seconds; nothing was changed`
  return new StoreUnavailable(situation, cause)
}

/** Whether so many milliseconds have passed; not at the first call, so that a commit has something. */
function fullAfter(ms: number): () => boolean {
  let end: number | undefined
  return () => {
    if (end !== undefined) return performance.now() > end
    end = performance.now() + ms
    return false
  }
}

import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import type { Worker } from 'node:worker_threads'
import { startThread } from '../../platform/concurrency/start-thread.ts'
import type { SqliteDriver } from './sqlite-driver.ts'

/** How soon after a commit the log is looked at. */
const AFTER_MS = 250
/** Below it there is little to copy: 1,000 pages of 4 KiB, at which SQLite itself begins. */
const SHORT_LOG_BYTES = 4_000_000
/** Frames of the log from which on it is begun anew: 64 MB of pages of 4 KiB. While others go on writing, no copy reaches its end, and it would grow without one. */
const LONG_LOG = 16_384
const MEMORY_MB = 32

/**
 * Copies what was committed from the log of a SQLite file into the file (https://sqlite.org/wal.html, checkpoints), in a thread of its own: a commit of 100 MB that did it itself kept everyone else waiting
 * for 150 ms of processor time, and twice as long for the disk.
 */
export class SqliteCheckpoints {
  readonly #path: string
  readonly #driver: SqliteDriver['name']
  readonly #failed: (error: unknown) => void
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #thread: Worker | undefined
  #pause: Promise<unknown> | undefined
  #isClosed = false

  /** `failed` is called when the thread cannot run: commits have to make checkpoints again. */
  constructor(path: string, driver: SqliteDriver['name'], failed: (error: unknown) => void) {
    this.#path = path
    this.#driver = driver
    this.#failed = failed
  }

  /** Is to be called after each commit. */
  committed(): void {
    if (this.#timer || this.#looking || this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#looking = this.#look().finally(() => {
        this.#looking = undefined
      })
    }, AFTER_MS).unref()
  }

  /** Until when no transaction may begin; undefined: one may. The event loop turns meanwhile. */
  get pause(): Promise<unknown> | undefined {
    return this.#pause
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#looking
    const thread = this.#thread
    if (!thread) return
    const ended = once(thread, 'exit')
    thread.ref()
    thread.postMessage('close')
    await ended
  }

  async #look(): Promise<void> {
    try {
      const log = await stat(`${this.#path}-wal`)
      if (log.size < SHORT_LOG_BYTES) return
      const thread = this.#thread ?? this.#start()
      if ((await done(thread, 'passive')) <= LONG_LOG) return
      const restarted = done(thread, 'restart')
      this.#pause = restarted.catch(() => undefined)
      await restarted
    } catch (error) {
      this.#isClosed = true
      this.#failed(error)
    } finally {
      this.#pause = undefined
    }
  }

  #start(): Worker {
    const resourceLimits = { maxOldGenerationSizeMb: MEMORY_MB }
    const workerData = { path: this.#path, driver: this.#driver }
    const thread = startThread(import.meta.url, 'sqlite-checkpoint-thread', { workerData, resourceLimits })
    thread.unref()
    // What goes wrong while nobody waits for the thread ends it, and the next look starts another.
    thread
      .on('error', () => {})
      .once('exit', () => {
        this.#thread = undefined
      })
    this.#thread = thread
    return thread
  }
}

/** How many frames the log has after a copy. Rejects when the thread has ended. */
async function done(thread: Worker, how: 'passive' | 'restart'): Promise<number> {
  const over = new AbortController()
  const { signal } = over
  // The process stays for what was begun.
  thread.ref()
  thread.postMessage(how)
  try {
    const ended = once(thread, 'exit', { signal }).then(() =>
      Promise.reject(new Error('the thread that makes checkpoints ended')),
    )
    const [log] = await Promise.race([once(thread, 'message', { signal }), ended])
    return Number(log)
  } finally {
    over.abort()
    thread.unref()
  }
}

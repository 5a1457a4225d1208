import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Child, freePort, startChild } from '../agent/child.ts'
import { clockShiftTo } from '../agent/clock.ts'
import { BUILT_COMMAND, clockEnvironment } from '../agent/start-agent.ts'

const COMMAND_WITHIN_MS = 120_000

export interface ClockedServerOptions {
  /** Prefix of the folder that it has for itself. */
  readonly name: string
  /** Members of its configuration, beside limits that nobody reaches. */
  readonly config: object
  /** Words of the command line; default: the built one. */
  readonly command?: readonly string[] | undefined
  /** Connection string of a PostgreSQL database; default: SQLite. */
  readonly database?: string | undefined
}

/** A server that is killed and started again, each time with a clock that goes on from a moment. */
export class ClockedServer {
  readonly origin: string
  readonly #folder: string
  readonly #command: readonly string[]
  readonly #flags: readonly string[]
  readonly #port: number
  #anchor = new Date().toISOString()
  #child: Child | undefined

  private constructor(folder: string, command: readonly string[], flags: readonly string[], port: number) {
    this.#folder = folder
    this.#command = command
    this.#flags = flags
    this.#port = port
    this.origin = `http://127.0.0.1:${port}`
  }

  static async make({ name, config, command = BUILT_COMMAND, database }: ClockedServerOptions): Promise<ClockedServer> {
    const folder = mkdtempSync(join(tmpdir(), `${name}-`))
    const file = join(folder, 'publisher.json')
    const limits = { changes: 1_000_000, reads: 1_000_000, adminRequests: 1_000_000 }
    const whole = { mode: 'development', log: { level: 'error' }, limits, ...config, ...(database && { database }) }
    writeFileSync(file, JSON.stringify(whole))
    return new ClockedServer(folder, command, ['--data', join(folder, 'data'), '--config', file], await freePort())
  }

  /** Runs a command on its store and gives what it printed as JSON. */
  async run(...args: string[]) {
    const [executable = '', ...words] = this.#command
    const all = [...words, ...args, ...this.#flags, '--json']
    return JSON.parse((await promisify(execFile)(executable, all, { timeout: COMMAND_WITHIN_MS })).stdout)
  }

  async start(): Promise<void> {
    this.#child = await startChild({
      command: [...this.#command, 'serve', ...this.#flags, '--port', String(this.#port)],
      environment: clockEnvironment(clockShiftTo(this.#anchor, Date.now())),
      readyUrl: `${this.origin}/readyz`,
    })
  }

  /** The moment at which it starts from now on. */
  startsAt(moment: string): void {
    this.#anchor = moment
  }

  async restartAt(moment: string): Promise<void> {
    await this.#child?.end('SIGTERM')
    this.startsAt(moment)
    await this.start()
  }

  /** Sends something and kills the server so many milliseconds later; then starts it again. `ms`: how long it took, where it was answered. */
  async killDuring(
    send: () => Promise<unknown>,
    afterMs: number,
  ): Promise<{ readonly isAnswered: boolean; readonly ms: number | undefined }> {
    const sent = performance.now()
    let ms: number | undefined
    const answer = send().then(
      () => {
        ms = performance.now() - sent
        return true
      },
      () => false,
    )
    await sleep(afterMs)
    await this.#child?.end('SIGKILL')
    const isAnswered = await answer
    await this.start()
    return { isAnswered, ms }
  }

  async end(): Promise<void> {
    await this.#child?.end('SIGKILL')
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}

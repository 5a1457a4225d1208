import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Child, freePort, startChild } from '../agent/child.ts'
import { startPostgres, type TestPostgres } from '../agent/postgres.ts'
import { type RoundRobin, startRoundRobin } from '../agent/round-robin.ts'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))

export interface FleetOptions {
  /** Words of the command that has `init` and `serve`. */
  readonly command: readonly string[]
  readonly processes?: number
  /** Settings of every process and command. */
  readonly environment?: Readonly<Record<string, string>>
  /** Arguments of `serve`. */
  readonly serve?: readonly string[]
}

/** Processes on one PostgreSQL behind a load balancer, each with a data folder of its own: what a deployment on several machines is. */
export interface Fleet {
  readonly postgres: TestPostgres
  readonly database: string
  readonly proxy: RoundRobin
  readonly origins: readonly string[]
  /** Runs a command on the shared store; gives what it printed as JSON. Throws when it fails. */
  // biome-ignore lint/suspicious/noExplicitAny: what a command prints is judged by whoever ran it
  command(...args: string[]): Promise<any>
  /** Ends one process. */
  end(index: number, signal?: NodeJS.Signals): Promise<void>
  /** Starts it again at the same address. */
  start(index: number): Promise<void>
  child(index: number): Child
  close(): Promise<void>
}

/** Starts PostgreSQL, lays a demo store out and starts the processes. In production mode: the load balancer is their trusted proxy. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const postgres = await startPostgres()
  const database = await postgres.createDatabase('fleet')
  const folder = mkdtempSync(join(tmpdir(), 'sales-agent-fleet-'))
  const ports = await Promise.all(Array.from({ length: options.processes ?? 2 }, freePort))
  const origins = ports.map((port) => `http://127.0.0.1:${port}`)
  const proxy = await startRoundRobin(() => origins)
  const environment = {
    SALES_AGENT_DATABASE: database,
    SALES_AGENT_SECRET: randomBytes(32).toString('base64url'),
    SALES_AGENT_TRUSTED_PROXIES: '127.0.0.1',
    SALES_AGENT_PUBLIC_URL: proxy.origin,
    SALES_AGENT_LOG_LEVEL: 'error',
    ...options.environment,
  }
  const [executable = '', ...words] = options.command
  const command: Fleet['command'] = async (...args) => {
    const all = [...words, ...args, '--data', join(folder, 'commands'), '--json']
    const { stdout } = await promisify(execFile)(executable, all, {
      cwd: PROJECT,
      env: { ...process.env, ...environment },
      maxBuffer: 64 * 1024 * 1024,
    })
    return JSON.parse(stdout)
  }
  const children: Child[] = []
  const start = async (index: number) => {
    const data = join(folder, `process-${index}`)
    const words = ['serve', '--data', data, '--port', String(ports[index]), ...(options.serve ?? [])]
    children[index] = await startChild({
      command: [...options.command, ...words],
      environment,
      readyUrl: `${origins[index]}/readyz`,
    })
  }
  const close = async () => {
    await Promise.all(children.map((child) => child.end('SIGKILL')))
    await proxy.close()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  const child = (index: number): Child => {
    const found = children[index]
    if (!found) throw new Error(`there is no process ${index}`)
    return found
  }
  try {
    await command('migrate')
    await Promise.all(ports.map((_, index) => start(index)))
  } catch (error) {
    await close()
    throw error
  }
  return {
    postgres,
    database,
    proxy,
    origins,
    command,
    child,
    start,
    async end(index, signal) {
      await child(index).end(signal)
    },
    close,
  }
}
